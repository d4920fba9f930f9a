/**
 * What a fuzzer's requests are, and what they are made with.
 *
 * @module
 */
import type { Hostile, Some } from "./fuzz-hostile.ts";
import type { World } from "./fuzz-world.ts";

/** A request as it is sent. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What requests are made with. */
export interface Making {
  readonly hosts: Some<string>;
  readonly document: unknown;
  readonly hostile: Hostile;
  readonly world: World;
}

/** What is shown of each part of a request. */
const MAX_SHOWN = 1500;

/** A request as a command that sends it again: what it lacks is the state that the service was in. */
export function curlOf(origin: string, { method, path, headers, body }: FuzzRequest): string {
  const parts = [
    `-X ${quoted(method)}`,
    quoted(origin + path),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${shown(body)}`]),
  ];
  return `curl -i --path-as-is ${parts.map((part) => (part.length > MAX_SHOWN ? `${part.slice(0, MAX_SHOWN)}… # ${part.length} characters` : part)).join(" ")}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function shown(body: Buffer): string {
  const bytes = body.subarray(0, 3000);
  const escaped = [...bytes].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return `$'${escaped.join("")}'${bytes.length < body.length ? ` # ${body.length} bytes` : ""}`;
}
