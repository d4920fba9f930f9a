/**
 * A switch for faults over HTTP, for tests that run in another process, or inside workerd.
 *
 * @module
 */
import { isRecord, parseJson } from "../shared/json.ts";
import { type Fault, FAULT_KINDS, type Faults } from "./faults.ts";
import { type Handler, json } from "./listener.ts";

/**
 * Serves a switch over HTTP: `PUT /` with a fault as JSON answers its number, `DELETE /{number}` lifts it;
 * `GET /count?matching=…` answers how many requests hold that text.
 */
export function faultsHandler(faults: Faults): Handler {
  return async ({ method, path, body }) => {
    const url = new URL(path, "http://localhost");
    switch (method) {
      case "GET":
        return json(200, { count: faults.count(url.searchParams.get("matching") ?? "") });
      case "DELETE":
        faults.lift(Number(url.pathname.slice(1)));
        return json(200, {});
      default: {
        const fault = readFault(parseJson(body));
        return fault === undefined ? json(400, { error: "no such fault" }) : json(200, { id: faults.set(fault) });
      }
    }
  };
}

function readFault(value: unknown): Fault | undefined {
  if (!isRecord(value)) return undefined;
  const { delayMs, matching, times } = value;
  const kind = FAULT_KINDS.find((known) => known === value["kind"]);
  if (kind === undefined) return undefined;
  return {
    kind,
    ...(typeof delayMs === "number" ? { delayMs } : {}),
    ...(typeof matching === "string" ? { matching } : {}),
    ...(typeof times === "number" ? { times } : {}),
  };
}
