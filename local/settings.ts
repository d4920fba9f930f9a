/**
 * The service's variables as scripts on this machine find them: the environment first, then `.dev.vars`, then `[vars]` of
 * `wrangler.toml`.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { unstable_readConfig } from "wrangler";
import { isRecord } from "../shared/json.ts";

/** The value of a variable, or the empty text where it is not set. */
export type Settings = (name: string) => string;

/** Reads the variables of the project in a folder. */
export function readSettings(root: string): Settings {
  const secretsFile = join(root, ".dev.vars");
  const secrets = existsSync(secretsFile) ? parseEnv(readFileSync(secretsFile, "utf8")) : {};
  const config: unknown = unstable_readConfig({ config: join(root, "wrangler.toml") }, { hideWarnings: true });
  const vars = isRecord(config) && isRecord(config["vars"]) ? config["vars"] : {};
  return (name) => {
    const fromFile = vars[name];
    return process.env[name] ?? secrets[name] ?? (typeof fromFile === "string" ? fromFile : "");
  };
}
