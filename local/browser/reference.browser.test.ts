/**
 * The API's reference in a real browser: it lists every call and makes them, under its own strict policy, and asks nobody else for anything.
 *
 * @module
 */
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { ADMIN_KEY, see, type Service, startService } from "../e2e/service.ts";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

let service: Service;
let browser: Browser;
let page: Page;
/** What the browser complained of: errors, warnings, and what its policy refused. */
let complaints: string[];
/** Where requests went that were not this service's. */
let strangers: string[];

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService("reference.example.test"),
    chromium.launch({ executablePath: EXECUTABLE, args: FLAGS }),
  ]);
});
afterAll(() => Promise.all([service.stop(), browser.close()]));

beforeEach(async () => {
  page = await browser.newPage();
  complaints = [];
  strangers = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== service.origin) strangers.push(url.href);
  });
  await page.goto(`${service.origin}/api/docs`);
  await page.locator(".opblock").first().waitFor();
});
afterEach(() => page.close());

/** Types the key in, as a person would. */
async function authorize(): Promise<void> {
  await page.locator("button.authorize").first().click();
  const bearer = page.locator(".auth-container", { hasText: "bearer" }).first();
  await bearer.locator("input").fill(ADMIN_KEY);
  await bearer.locator("button.authorize").click();
  await page.locator("button.btn-done").first().click();
}

/** Opens a call, fills in its body, sends it; the status of the answer, as the page shows it. */
async function tryOut(operationId: string, body?: string): Promise<string> {
  const call = page.locator(`.opblock[id$="-${operationId}"]`);
  await call.locator(".opblock-summary").click();
  await call.locator("button.try-out__btn").click();
  if (body !== undefined) await call.locator("textarea.body-param__text").fill(body);
  await call.locator("button.execute").click();
  return (await call.locator(".live-responses-table .response-col_status").last().innerText()).split("\n")[0] ?? "";
}

test("every call of the document is listed, and nothing is refused, complained of or asked of others", async ({
  expect,
}) => {
  const { body } = await see(service.fetch("/api/openapi.json"));
  const paths = isRecord(body) && isRecord(body["paths"]) ? Object.values(body["paths"]) : [];
  const operations = paths.flatMap((path) => (isRecord(path) ? Object.values(path) : []));
  const ids = operations.map((operation) => (isRecord(operation) ? operation["operationId"] : undefined));
  expect(ids.length).toBeGreaterThan(20);
  const listed = await page.locator(".opblock .opblock-summary-operation-id").allInnerTexts();
  expect(listed.toSorted()).toEqual(ids.map(String).toSorted());
  expect([complaints, strangers]).toEqual([[], []]);
});

test("with a key typed in, a link is made (201) and the list is read (200); without one the call is refused (401)", async ({
  expect,
}) => {
  expect(await tryOut("listKeys")).toBe("401");
  expect(complaints.splice(0).filter((text) => !text.includes("401"))).toEqual([]);
  await authorize();
  const link = JSON.stringify({ longUrl: "https://example.com/from-the-page", unique: true });
  expect(await tryOut("createLink", link)).toBe("201");
  expect(await tryOut("listLinks")).toBe("200");
  expect([complaints, strangers]).toEqual([[], []]);
});

test("a key that was typed in is kept nowhere beyond the tab", async ({ expect }) => {
  await authorize();
  const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])");
  expect(kept).toBe('[{},{},""]');
  await page.reload();
  await page.locator(".opblock").first().waitFor();
  expect(await tryOut("listKeys")).toBe("401");
});

test("the policy is in force: a script that is put into the page does not run", async ({ expect }) => {
  await page.evaluate(
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.intruder = 1' }))",
  );
  expect(await page.evaluate("window.intruder")).toBeUndefined();
  expect(complaints.join("\n")).toContain("Content Security Policy");
});

test("the page that the type of a problem names can be opened and read", async ({ expect }) => {
  const { body } = await see(service.fetch("/api/v1/links", { headers: { "CF-Connecting-IP": "2600:9::1" } }));
  const type = isRecord(body) ? String(body["type"]) : "";
  await page.goto(`${service.origin}${type}`);
  expect(await page.locator("h1").innerText()).toBe("Not signed in");
  expect([complaints, strangers]).toEqual([[], []]);
});
