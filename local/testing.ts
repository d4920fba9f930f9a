/**
 * The engines that the stand-ins are tested on: the embedded ones always, real servers where the environment names them.
 *
 * @module
 */
import { type Stack, startStack, type StackOptions } from "./stack.ts";

/** A set of engines by name. */
export interface Engines {
  readonly name: string;
  readonly options: StackOptions;
}

const real: StackOptions = {
  databaseUrl: process.env["TEST_DATABASE_URL"],
  redisUrl: process.env["TEST_REDIS_URL"],
  isolateDatabase: true,
};

/** Every set that this run can use. */
export const ENGINES: readonly Engines[] = [
  { name: "embedded", options: {} },
  ...(real.databaseUrl === undefined || real.redisUrl === undefined ? [] : [{ name: "real", options: real }]),
];

/** Starts a stack of its own for a test file: empty, and told apart from the one that the run shares. */
export function startEngines({ options }: Engines): Promise<Stack> {
  return startStack(options);
}
