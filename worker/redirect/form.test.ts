/**
 * A form is read as browsers send it, and whatever else comes is refused with a reason.
 *
 * @module
 */
import { test } from "vitest";
import { MAX_FORM_BYTES, readForm } from "./form.ts";

const TYPE = "application/x-www-form-urlencoded";
const send = (body: BodyInit | null, type: string | null = TYPE) =>
  readForm(
    new Request("https://s.example/c", {
      method: "POST",
      body,
      headers: type === null ? {} : { "Content-Type": type },
    }),
  );

test.for([
  ["password=hunter2", "hunter2"],
  ["password=a+b%2Bc%26d%3De", "a b+c&d=e"],
  ["password=a=b", "a=b"],
  ["from=&password=", ""],
  ["p%61ssword=%C3%A9", "é"],
  ["password=%F0%9F%94%91&x", "🔑"],
  ["password=%EF%BB%BFx", "\ufeffx"],
] as const)("%s holds %j", async ([body, password], { expect }) => {
  expect(await send(body)).toMatchObject({ kind: "form", password });
});

test("where the visitor came from is told apart from nothing said", async ({ expect }) => {
  expect(await send("password=x&from=https%3A%2F%2Fa.example")).toMatchObject({ from: "https://a.example" });
  expect(await send("password=x&from=")).toMatchObject({ from: "" });
  expect(await send("password=x")).toMatchObject({ from: undefined });
});

test.for([
  ["nothing", null, TYPE, "invalid_request"],
  ["no password", "pass=x", TYPE, "invalid_request"],
  ["two passwords", "password=x&password=y", TYPE, "invalid_request"],
  ["bytes that are no UTF-8", Uint8Array.of(...new TextEncoder().encode("password="), 0xff), TYPE, "invalid_request"],
  ["escapes that are no UTF-8", "password=%FF%FE", TYPE, "invalid_request"],
  ["half an escape", "password=%C", TYPE, "invalid_request"],
  ["an encoded surrogate", "password=%ED%A0%80", TYPE, "invalid_request"],
  ["JSON", '{"password":"x"}', "application/json", "unsupported_media_type"],
  ["a form of parts", "--x", "multipart/form-data; boundary=x", "unsupported_media_type"],
  ["no type", "password=x", "", "unsupported_media_type"],
  ["too much", `password=${"x".repeat(MAX_FORM_BYTES)}`, TYPE, "payload_too_large"],
] as const)("%s is refused", async ([, body, type, code], { expect }) => {
  expect(await send(body, type)).toMatchObject({ kind: "refused", code });
});

test("of a body without an end no more is read than a form may have", async ({ expect }) => {
  let given = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 1;
      controller.enqueue(new TextEncoder().encode("x".repeat(1024)));
    },
  });
  expect(await send(endless)).toMatchObject({ kind: "refused", code: "payload_too_large" });
  expect(given).toBeLessThan(20);
});

test("the type may be written in any case, with a charset", async ({ expect }) => {
  expect(await send("password=x", "Application/X-WWW-Form-urlencoded; charset=UTF-8")).toMatchObject({ kind: "form" });
});
