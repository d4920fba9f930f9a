/**
 * Files of links, sent and received, for the tests of export and import.
 *
 * @module
 */
import { isRecord, parseJson } from "../../shared/json.ts";
import { ADMIN_KEY, see, type Seen, type Service } from "./service.ts";

/** The report of an import. */
export interface Report {
  readonly status: number;
  /** Of each row, in the order of the file. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The last line. */
  readonly end: Readonly<Record<string, unknown>>;
}

/** Sends a file. */
export async function sendFile(
  service: Service,
  file: string | Uint8Array,
  query = "",
  headers: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  return see(
    service.fetch(`/api/v1/import${query}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "text/csv", ...headers },
      body: file,
    }),
  );
}

/** Sends a file and reads its report. Rejects when there is none. */
export async function importFile(
  service: Service,
  file: string | Uint8Array,
  query = "",
  headers: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const seen = await sendFile(service, file, query, headers);
  if (seen.status !== 200) throw new Error(`the file was not taken: ${seen.status} ${seen.text}`);
  const lines = seen.text.split("\n").flatMap((line) => {
    const parsed = line === "" ? undefined : parseJson(line);
    return isRecord(parsed) ? [parsed] : [];
  });
  const end = lines.at(-1);
  if (end === undefined || !("summary" in end)) throw new Error(`the report has no end: ${seen.text.slice(-500)}`);
  return { status: seen.status, rows: lines.slice(0, -1), end };
}

/** Receives a file. Rejects when it is cut short. */
export async function exportFile(service: Service, query = ""): Promise<Seen> {
  return see(service.fetch(`/api/v1/export${query}`, { headers: { Authorization: `Bearer ${ADMIN_KEY}` } }));
}
