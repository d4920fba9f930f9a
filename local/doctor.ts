/**
 * `npm run doctor`: looks at a configuration and says what is missing, wrong or unreachable, and how to mend it. Ends with 1
 * when something must be mended. Prints no secret.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { unstable_readConfig } from "wrangler";
import { checkDatabase, checkRedis, checkService } from "./doctor/backends.ts";
import { checkCodes, checkSecrets, checkVariables, checkWranglerFile } from "./doctor/configuration.ts";
import { checkUrlChecks } from "./doctor/url-checks.ts";
import { type Finding, problem, type Status } from "./doctor/finding.ts";
import { readSettings } from "./settings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WORDS: Readonly<Record<Status, string>> = { ok: "ok", warning: "warn", problem: "FAIL", skipped: "skip" };

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { url: { type: "string" }, json: { type: "boolean" } } });
  const findings = await examine(values.url);
  console.log(values.json === true ? JSON.stringify(findings, null, 2) : render(findings));
  if (findings.some(({ status }) => status === "problem")) process.exitCode = 1;
}

async function examine(url: string | undefined): Promise<Finding[]> {
  const settings = readSettings(ROOT);
  const asked = await Promise.all([
    checkDatabase(settings),
    checkRedis(settings),
    checkUrlChecks(settings),
    checkService(url, settings),
  ]);
  return [
    ...fileFindings(settings),
    ...checkVariables(settings),
    ...checkCodes(settings, Date.now()),
    ...checkSecrets(settings),
    ...asked.flat(),
  ];
}

function fileFindings(settings: ReturnType<typeof readSettings>): Finding[] {
  try {
    return checkWranglerFile(unstable_readConfig({ config: `${ROOT}wrangler.toml` }, { hideWarnings: true }), settings);
  } catch {
    return [
      problem("wrangler.toml", "cannot be read", "Run: npx wrangler deploy --dry-run, which says where it is broken."),
    ];
  }
}

function render(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ status, what, detail, mend }) => [
    `${WORDS[status].padEnd(4)}  ${what.padEnd(width)}  ${detail}`,
    ...(mend === undefined ? [] : [`${" ".repeat(width + 8)}→ ${mend}`]),
  ]);
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  return [...lines, "", `${count("problem")} to mend, ${count("warning")} to look at, ${count("ok")} well.`].join("\n");
}

await main();
