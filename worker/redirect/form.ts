/**
 * Reads the form that a visitor sends: bounded, in UTF-8, and refused with a reason otherwise.
 *
 * @module
 */
import type { ProblemCode } from "../../shared/problem.ts";

/** The longest form. A password of 256 bytes takes three times as many, percent-encoded; the rest is for where the visitor came from. */
export const MAX_FORM_BYTES = 4096;

/** What a form said, or why it cannot be read. */
export type Submitted =
  | {
      readonly kind: "form";
      readonly password: string;
      /** The origin of the page that led to the form, empty where it is not known; undefined when the form did not say. */
      readonly from: string | undefined;
    }
  | {
      readonly kind: "refused";
      readonly code: Extract<ProblemCode, "invalid_request" | "payload_too_large" | "unsupported_media_type">;
      readonly detail: string;
    };

const WRONG_TYPE: Submitted = {
  kind: "refused",
  code: "unsupported_media_type",
  detail: "Send the password as a form does: Content-Type: application/x-www-form-urlencoded.",
};
const TOO_LARGE: Submitted = {
  kind: "refused",
  code: "payload_too_large",
  detail: `The form is larger than ${MAX_FORM_BYTES} bytes.`,
};
const UNREADABLE: Submitted = {
  kind: "refused",
  code: "invalid_request",
  detail: "The form cannot be read: it is broken off, or not in UTF-8.",
};
const NO_PASSWORD: Submitted = {
  kind: "refused",
  code: "invalid_request",
  detail: "The form takes one field with the name password.",
};

/** Reads it. Never rejects. */
export async function readForm(request: Request): Promise<Submitted> {
  const [type = ""] = (request.headers.get("Content-Type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return WRONG_TYPE;
  try {
    const bytes = await readBounded(request);
    if (bytes === undefined) return TOO_LARGE;
    const fields = fieldsOf(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    const [password, ...others] = fields.filter(([name]) => name === "password").map(([, value]) => value);
    if (password === undefined || others.length > 0) return NO_PASSWORD;
    return { kind: "form", password, from: fields.find(([name]) => name === "from")?.[1] };
  } catch {
    return UNREADABLE;
  }
}

/** Undefined when there is more than a form may have, whatever length was declared: the rest is not read. */
async function readBounded({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (Number(headers.get("Content-Length") ?? 0) > MAX_FORM_BYTES) return undefined;
  const bytes = new Uint8Array(MAX_FORM_BYTES);
  let length = 0;
  if (body === null) return bytes.subarray(0, 0);
  for await (const chunk of body) {
    if (length + chunk.length > MAX_FORM_BYTES) return undefined;
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}

/** By hand: `URLSearchParams` puts U+FFFD where bytes are no UTF-8. Throws `URIError` there. */
function fieldsOf(form: string): readonly (readonly [name: string, value: string])[] {
  return form.split("&").map((field) => {
    const [name = "", ...value] = field.split("=");
    return [decode(name), decode(value.join("="))];
  });
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
