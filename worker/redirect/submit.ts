/**
 * The door for `POST`: a visitor sends the password of a link. No other address takes it.
 *
 * A page of somebody else may make a browser send a form here. It would have to know the password; all that it would reach is a visit and a
 * pass for a link that it could open itself. So no token guards the form.
 *
 * @module
 */
import { type CodeKey, type GuardedEntry, isGuarded } from "../../shared/entry.ts";
import { clientAddress, type RequestScope } from "../http/context.ts";
import { wrongMethod } from "../http/problem.ts";
import { ask } from "./ask.ts";
import { readForm } from "./form.ts";
import { canOpen } from "./password.ts";
import { passCookie } from "./pass.ts";
import { codeOf } from "./path.ts";
import { fail } from "./respond.ts";
import { follow, type Redirect, type RedirectParts } from "./routes.ts";

/** What this door needs beside what the redirect does. */
export interface SubmitParts extends RedirectParts {
  /** Whether a text is the password of a hash. Slow on purpose. */
  readonly isPassword: (text: string, stored: string) => Promise<boolean>;
  /** Whether one more password may be tried from this address, null where it is not known. */
  readonly mayTry: (address: string | null) => Promise<boolean>;
}

/** Builds it. */
export function createSubmit(parts: SubmitParts): Redirect {
  return async (request, scope) => {
    const path = codeOf(scope.path);
    if (path.kind === "broken" || path.wish !== "visit") return notHere(request, scope);
    const code = parts.codes.classify(path.segment);
    if (code.kind === "malformed" || code.kind === "reserved") return notHere(request, scope);
    const key: CodeKey = { domain: scope.host, code: code.code };
    const resolution = await parts.resolve(key, scope.now, scope.waitUntil);
    if (resolution.kind === "unavailable") return fail(request, scope, "unavailable");
    if (resolution.kind === "refused" || resolution.entry.kind === "absent") {
      const address = clientAddress(request);
      const mayGoOn = address === null || (await parts.mayMiss(address));
      return mayGoOn ? notHere(request, scope) : fail(request, scope, "rate_limited");
    }
    const { entry } = resolution;
    if (!isGuarded(entry)) return notHere(request, scope);
    if (!canOpen(entry, scope, path)) return follow(parts, request, scope, key, path, resolution);
    const proved = await prove(parts, request, scope, entry);
    if (proved instanceof Response) return proved;
    const visit = visitOf(request, proved.from);
    return seeOther(await follow(parts, visit, scope, key, path, resolution), await passCookie(scope, entry));
  };
}

function notHere(request: Request, scope: RequestScope): Response {
  return wrongMethod(scope, request.method, ["GET", "HEAD"]);
}

/** The form of a visitor who knows the password, or the answer to one who does not. */
async function prove(
  parts: SubmitParts,
  request: Request,
  scope: RequestScope,
  { passwordHash }: GuardedEntry,
): Promise<{ readonly from: string | undefined } | Response> {
  const form = await readForm(request);
  if (form.kind === "refused") return ask(request, scope, form.code, form.detail, "");
  const from = form.from ?? "";
  if (!(await parts.mayTry(clientAddress(request)))) {
    const detail = "Too many passwords were tried from here. Wait a minute, then try again.";
    return ask(request, scope, "rate_limited", detail, from);
  }
  if (await parts.isPassword(form.password, passwordHash)) return form;
  return ask(request, scope, "wrong_password", "That is not the password.", from);
}

/**
 * The visit that the password opens: from here on a `GET` like any other, which may be a click. The form's own page led here, so where the
 * visitor came from is what that page was told.
 */
function visitOf(request: Request, from: string | undefined): Request {
  const headers = new Headers(request.headers);
  if (from !== undefined) headers.delete("Referer");
  if (from !== undefined && from !== "") headers.set("Referer", from);
  return new Request(request.url, { headers, ...(request.cf !== undefined && { cf: request.cf }) });
}

/** A redirect as the answer to a form: 303, since 307 and 308 would send the password on. What is no redirect stays as it is. */
function seeOther(response: Response, cookie: string): Response {
  const headers = new Headers(response.headers);
  headers.set("Cache-Control", "no-store");
  if (!headers.has("Location")) return new Response(response.body, { status: response.status, headers });
  headers.set("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}
