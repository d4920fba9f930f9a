/**
 * Web pages of listed origins may call the API, and no others; a preflight runs nothing.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { ADMIN_KEY, type Asked, createLink, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "cors.example.test";
const APP = "https://app.example.com";
const LOCAL = "http://localhost:3000";
const LINK = "/api/v1/links/shown";
const KEY = { Authorization: `Bearer ${ADMIN_KEY}` };
const PREFLIGHT = {
  "Access-Control-Request-Method": "DELETE",
  "Access-Control-Request-Headers": "authorization,if-match",
};

let service: Service;

beforeAll(async () => {
  service = await startService(HOST, { CORS_ORIGINS: `${APP}, ${LOCAL}` });
  await createLink(service, { customCode: "shown" });
});
afterAll(() => service.stop());

const ask = (path: string, { headers, ...asked }: Asked = {}): Promise<Seen> =>
  see(service.fetch(path, { ...asked, headers: { ...stranger(), ...headers } }));
const corsHeaders = ({ headers }: Seen): string[] =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

test.for([APP, LOCAL])(
  "B216: a preflight of %s is answered without a key, and runs nothing",
  async (Origin, { expect }) => {
    for (const path of [LINK, "/api/v1/links"]) {
      const seen = await ask(path, { method: "OPTIONS", headers: { ...PREFLIGHT, Origin } });
      expect(seen).toMatchObject({ status: 204, text: "", headers: { "access-control-allow-origin": Origin } });
      expect(seen.headers["access-control-allow-methods"]?.split(",")).toContain("DELETE");
      const allowed = seen.headers["access-control-allow-headers"]?.toLowerCase().split(",");
      for (const name of ["authorization", "x-api-key", "content-type", "idempotency-key", "if-match"]) {
        expect(allowed).toContain(name);
      }
      expect(seen.headers["access-control-allow-credentials"]).toBeUndefined();
      expect(seen.headers["x-request-id"]).toMatch(/./);
      expect(seen.headers["vary"]).toContain("Origin");
    }
    expect((await ask(LINK, { headers: KEY })).status).toBe(200);
  },
);

test("B217: a page reads answers and refusals alike, with what it needs of their headers", async ({ expect }) => {
  const json = { "Content-Type": "application/json" };
  const cases: readonly (readonly [number, string, Asked])[] = [
    [200, LINK, { headers: KEY }],
    [401, LINK, {}],
    [404, "/api/v1/links/nobody", { headers: KEY }],
    [404, "/api/v1/nothing", { headers: KEY }],
    [405, LINK, { method: "PUT", headers: KEY }],
    [400, "/api/v1/links", { method: "POST", headers: { ...KEY, ...json }, body: "{}" }],
    [415, "/api/v1/links", { method: "POST", headers: KEY, body: "{}" }],
  ];
  for (const [status, path, asked] of cases) {
    const seen = await ask(path, { ...asked, headers: { ...asked.headers, Origin: APP } });
    expect([seen.status, seen.headers["access-control-allow-origin"]]).toEqual([status, APP]);
    const exposed = seen.headers["access-control-expose-headers"]?.split(",");
    for (const name of ["ETag", "Location", "X-Request-Id", "Retry-After"]) expect(exposed).toContain(name);
    expect(seen.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(seen.headers["vary"]).toContain("Origin");
  }
});

test.for(["https://evil.example", `${APP}.evil.example`, "https://APP.example.com", `${APP}:443`, "null", undefined])(
  "B217: %s is not listed: no header lets it in, and no cache mixes it up",
  async (origin, { expect }) => {
    const headers = origin === undefined ? {} : { Origin: origin };
    for (const asked of [
      { headers: { ...headers, ...KEY } },
      { headers },
      { method: "OPTIONS", headers: { ...headers, ...PREFLIGHT } },
    ]) {
      const seen = await ask(LINK, asked);
      expect(corsHeaders(seen)).toEqual([]);
      expect(seen.headers["vary"]).toContain("Origin");
    }
  },
);

test("nothing but the API takes part: no redirect, no page, no figures for Prometheus", async ({ expect }) => {
  for (const path of ["/shown", "/nobody", "/", "/healthz", "/metrics", "/robots.txt"]) {
    for (const asked of [
      { headers: { Origin: APP, ...KEY } },
      { method: "OPTIONS", headers: { Origin: APP, ...PREFLIGHT } },
    ]) {
      expect(corsHeaders(await ask(path, asked))).toEqual([]);
    }
  }
});

test("OPTIONS that is no preflight is refused as without CORS", async ({ expect }) => {
  expect((await ask(LINK, { method: "OPTIONS", headers: { Origin: APP, ...KEY } })).status).toBe(405);
});

test("* lets every page in, and says so to everybody", async ({ expect }) => {
  const other = await startService(HOST, { CORS_ORIGINS: "*" });
  try {
    for (const headers of [{ Origin: "https://anybody.example" }, {}]) {
      const seen = await see(other.fetch(LINK, { headers: { ...headers, ...KEY } }));
      expect(seen).toMatchObject({ status: 200, headers: { "access-control-allow-origin": "*" } });
      expect(seen.headers["access-control-allow-credentials"]).toBeUndefined();
    }
  } finally {
    await other.stop();
  }
});
