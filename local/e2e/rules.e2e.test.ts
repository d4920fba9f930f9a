/**
 * Links whose destination depends on who follows them, and when.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, inject, test } from "vitest";
import { startReceiver } from "./receiver.ts";
import { createLink, fieldOf, type Service, see, startService, stranger } from "./service.ts";

const HOST = "rules.example.test";
const LONG_URL = "https://example.com/all";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";
const IPAD =
  "Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1";
const ANDROID =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0";
const PAST = "2026-01-01T00:00:00.000Z";
const FUTURE = "9000-01-01T00:00:00.000Z";
const SHARED = [
  { longUrl: "https://example.com/a", weight: 70 },
  { longUrl: "https://example.com/b", weight: 30 },
];
let service: Service;

beforeAll(async () => {
  service = await startService(HOST, { DEBUG_TIMING: "on", WEBHOOK_LOCAL_HOSTS: "localhost" });
});
afterAll(() => service.stop());

interface Visitor {
  readonly country?: string;
  readonly userAgent?: string;
  readonly language?: string;
  readonly address?: string;
}

/** Headers of a visitor; the country is what Cloudflare would tell (`request.cf`), which miniflare takes from this header. */
const from = ({ country, userAgent, language, address }: Visitor): Readonly<Record<string, string>> => ({
  ...stranger(),
  "MF-CF-Blob": JSON.stringify({ colo: "FRA", ...(country !== undefined && { country }) }),
  ...(userAgent !== undefined && { "User-Agent": userAgent }),
  ...(language !== undefined && { "Accept-Language": language }),
  ...(address !== undefined && { "CF-Connecting-IP": address }),
});
const visit = (path: string, visitor: Visitor = {}, method = "GET") =>
  see(service.fetch(path, { method, headers: from(visitor) }));
const locationOf = async (code: string, visitor: Visitor = {}) =>
  (await visit(`/${code}`, visitor)).headers["location"];
const call = (method: string, path: string, body?: unknown) => see(service.api(method, path, body));
const rule = (conditions: object, name: string) => ({
  if: conditions,
  then: { longUrl: `https://example.com/${name}` },
});
const create = (rules: readonly unknown[], fields: object = {}) =>
  createLink(service, { longUrl: LONG_URL, rules, ...fields });

/** Where each of many addresses goes. */
async function destinations(code: string, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let start = 0; start < count; start += 50) {
    const some = Array.from({ length: Math.min(50, count - start) }, (_, at) => start + at);
    const answers = some.map((at) =>
      locationOf(code, { address: `198.51.${at >> 8}.${at & 255}`, userAgent: FIREFOX }),
    );
    found.push(...(await Promise.all(answers)).map(String));
  }
  return found;
}

test("each condition sends those on whom it fits, and all others to longUrl", async ({ expect }) => {
  const ruled: readonly (readonly [object, readonly Visitor[], readonly Visitor[]])[] = [
    [{ country: ["de", "AT"] }, [{ country: "DE" }, { country: "AT" }], [{ country: "CH" }, { country: "T1" }, {}]],
    [
      { device: ["ios"] },
      [{ userAgent: IPHONE }, { userAgent: IPAD }],
      [{ userAgent: ANDROID }, { userAgent: FIREFOX }, {}],
    ],
    [{ device: ["android"] }, [{ userAgent: ANDROID }], [{ userAgent: IPHONE }]],
    [
      { device: ["mobile"] },
      [{ userAgent: IPHONE }, { userAgent: ANDROID }],
      [{ userAgent: IPAD }, { userAgent: FIREFOX }],
    ],
    [{ device: ["tablet"] }, [{ userAgent: IPAD }], [{ userAgent: IPHONE }]],
    [{ device: ["desktop"] }, [{ userAgent: FIREFOX }], [{ userAgent: IPAD }, { userAgent: "curl/8" }]],
    [
      { language: ["fr", "pt-br"] },
      [{ language: "fr-CA,fr;q=0.9,en;q=0.8" }, { language: "en;q=0.1,pt-BR" }],
      [{ language: "en,fr;q=0.9" }, { language: "pt-PT" }, { language: "*" }, {}],
    ],
    [{ after: PAST, before: FUTURE }, [{}], []],
    [{ after: FUTURE }, [], [{}]],
    [{ before: PAST }, [], [{}]],
    [{}, [{}, { country: "DE" }], []],
    [
      { country: ["FR"], device: ["mobile"], language: ["fr"], after: PAST },
      [{ country: "FR", userAgent: ANDROID, language: "fr" }],
      [
        { country: "FR", userAgent: ANDROID, language: "en" },
        { country: "FR", userAgent: FIREFOX, language: "fr" },
        { userAgent: ANDROID, language: "fr" },
      ],
    ],
  ];
  for (const [conditions, inside, outside] of ruled) {
    const code = await create([rule(conditions, "in")]);
    const name = JSON.stringify(conditions);
    for (const visitor of inside) expect(await locationOf(code, visitor), name).toBe("https://example.com/in");
    for (const visitor of outside) expect(await locationOf(code, visitor), name).toBe(LONG_URL);
  }
});

test("the first rule that fits gives the destination, and a split at the end divides the rest", async ({ expect }) => {
  const code = await create([
    rule({ country: ["DE"] }, "de"),
    rule({ country: ["DE", "FR"], device: ["ios"] }, "ios"),
    { split: [{ longUrl: "https://example.com/rest", weight: 1 }] },
    rule({}, "never"),
  ]);
  expect(await locationOf(code, { country: "DE", userAgent: IPHONE })).toBe("https://example.com/de");
  expect(await locationOf(code, { country: "FR", userAgent: IPHONE })).toBe("https://example.com/ios");
  expect(await locationOf(code, { country: "FR" })).toBe("https://example.com/rest");
});

test("what is put in is what is answered, in every way to put it in, and the same link is the same rules", async ({
  expect,
}) => {
  const rules = [
    {
      if: { country: ["DE", "AT"], device: ["ios", "mobile"], language: ["fr", "pt-BR"], after: PAST, before: FUTURE },
      then: { longUrl: "https://example.com/x?a=1#top" },
    },
    { if: { language: ["zh-Hant-TW"] }, then: { split: SHARED } },
    { if: {}, then: { longUrl: "https://example.com/%7e" } },
    { split: SHARED },
  ];
  const shown = async (code: string) => fieldOf((await call("GET", `/links/${code}`)).body, "rules");
  const posted = await create(rules, { unique: false });
  expect(await shown(posted)).toEqual(rules);
  expect(await create(rules, { unique: false })).toBe(posted);
  expect(await create(rules.slice(1), { unique: false })).not.toBe(posted);
  expect(await create([], { unique: false })).not.toBe(posted);

  const put = await call("PUT", "/links", { longUrl: LONG_URL, externalId: "rules", rules });
  expect(put).toMatchObject({ status: 201, body: { rules } });
  const replaced = await call("PUT", "/links", { longUrl: LONG_URL, externalId: "rules" });
  expect(replaced).toMatchObject({ status: 200, body: { rules: [] } });

  const bulk = await call("POST", "/links/bulk", [
    { longUrl: LONG_URL, unique: true, rules },
    { longUrl: LONG_URL, rules: [rule({ country: ["??"] }, "x")] },
    { longUrl: LONG_URL, rules: [rule({}, "x"), { if: {}, then: { longUrl: "http://127.0.0.1/" } }] },
  ]);
  expect(fieldOf(bulk.body, "results")).toMatchObject([
    { status: 201, link: { rules } },
    { status: 400, error: { code: "invalid_request", errors: [{ path: "rules.0.if.country.0" }] } },
    { status: 400, error: { code: "url_not_allowed", errors: [{ path: "rules.1.then.longUrl" }] } },
  ]);

  const code = await create([]);
  expect((await call("PATCH", `/links/${code}`, { rules })).body).toMatchObject({ rules });
  expect((await call("PATCH", `/links/${code}`, { title: "kept" })).body).toMatchObject({ title: "kept", rules });
  const listed = await call("GET", `/links?domain=${HOST}&search=${code}`);
  expect(fieldOf(listed.body, "links")).toMatchObject([{ rules }]);
  // As they would be written by hand: the stored form is the usual one, and a value that stands twice stands once.
  const loose = [
    {
      if: { country: ["de", "DE"], language: ["PT-br"], after: "2026-01-01T01:00:00+01:00" },
      then: { longUrl: " HTTPS://Example.com/é" },
    },
  ];
  expect((await call("PATCH", `/links/${code}`, { rules: loose })).body).toMatchObject({
    rules: [
      { if: { country: ["DE"], language: ["pt-BR"], after: PAST }, then: { longUrl: "https://example.com/%C3%A9" } },
    ],
  });
  for (const none of [null, []]) {
    await call("PATCH", `/links/${code}`, { rules });
    expect((await call("PATCH", `/links/${code}`, { rules: none })).body).toMatchObject({ rules: [] });
  }
});

test("the contract says what a rule is, and that null takes all away", async ({ expect }) => {
  const { body } = await see(service.fetch("/api/openapi.json"));
  const schemas = fieldOf(fieldOf(body, "components"), "schemas");
  const items = { $ref: "#/components/schemas/Rule" };
  for (const name of ["CreateLink", "UpsertLink", "ChangeLink"])
    expect(fieldOf(schemas, name)).toMatchObject({ properties: { rules: { type: ["array", "null"], items } } });
  expect(fieldOf(schemas, "Link")).toMatchObject({ properties: { rules: { type: "array", items } } });
  expect(fieldOf(schemas, "Rule")).toMatchObject({ anyOf: [{ required: ["if", "then"] }, {}] });
});

test("a change of rules is seen by the next visit", async ({ expect }) => {
  const code = await create([rule({}, "one")]);
  expect(await locationOf(code)).toBe("https://example.com/one");
  await call("PATCH", `/links/${code}`, { rules: [rule({}, "two")] });
  expect(await locationOf(code)).toBe("https://example.com/two");
  await call("PATCH", `/links/${code}`, { rules: null });
  expect(await locationOf(code)).toBe(LONG_URL);
});

test.for([
  ["no list", {}, "rules"],
  ["nothing", [{}], "rules.0.if"],
  ["no destination", [{ if: {} }], "rules.0.then"],
  ["no conditions", [{ then: { longUrl: LONG_URL } }], "rules.0.if"],
  ["a destination of another type", [{ if: {}, then: { longUrl: 5 } }], "rules.0.then.longUrl"],
  ["an empty then", [{ if: {}, then: {} }], "rules.0.then.longUrl"],
  ["two destinations in then", [{ if: {}, then: { longUrl: LONG_URL, split: SHARED } }], "rules.0.then.split"],
  ["a split beside if", [{ if: {}, split: SHARED }], "rules.0.split"],
  ["a rule with a word too many", [{ ...rule({}, "x"), else: {} }], "rules.0.else"],
  ["a condition that is not known", [rule({}, "x"), rule({ browser: ["Firefox"] }, "y")], "rules.1.if.browser"],
  ["an empty list", [rule({ country: [] }, "x")], "rules.0.if.country"],
  ["no list of countries", [rule({ country: "DE" }, "x")], "rules.0.if.country"],
  ["a country that is none", [rule({ country: ["DE", "UK"] }, "x")], "rules.0.if.country.1"],
  ["a device that is none", [rule({ device: ["watch"] }, "x")], "rules.0.if.device.0"],
  ["a language that is none", [rule({ language: ["en_US"] }, "x")], "rules.0.if.language.0"],
  ["a time that is none", [rule({ after: "tomorrow" }, "x")], "rules.0.if.after"],
  ["a time that ends before it begins", [rule({ after: PAST, before: PAST }, "x")], "rules.0.if.before"],
  ["an empty split", [{ split: [] }], "rules.0.split"],
  ["a weight of 0", [{ split: [{ longUrl: LONG_URL, weight: 0 }] }], "rules.0.split.0.weight"],
  ["half a weight", [{ if: {}, then: { split: [{ longUrl: LONG_URL, weight: 0.5 }] } }], "rules.0.then.split.0.weight"],
  ["too large a weight", [{ split: [{ longUrl: LONG_URL, weight: 10_001 }] }], "rules.0.split.0.weight"],
  ["a share without a weight", [{ split: [{ longUrl: LONG_URL }] }], "rules.0.split.0.weight"],
  ["a destination twice", [{ split: [...SHARED, ...SHARED] }], "rules.0.split.2.longUrl"],
  [
    "too many shares",
    [{ split: Array.from({ length: 11 }, (_, at) => ({ longUrl: `${LONG_URL}${at}`, weight: 1 })) }],
    "rules.0.split",
  ],
  ["too many rules", Array.from({ length: 51 }, () => rule({}, "x")), "rules"],
  ["too many bytes", Array.from({ length: 3 }, () => rule({}, "é".repeat(1000))), "rules"],
] as const)("%s is refused, and the answer says where", async ([, rules, path], { expect }) => {
  const seen = await call("POST", "/links", { longUrl: LONG_URL, rules });
  expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ path }] } });
});

test("no destination that is not allowed gets in by a rule", async ({ expect }) => {
  for (const bad of [
    "javascript:alert(1)",
    "http://10.0.0.1/",
    `https://${HOST}/loop`,
    "/relative",
    "https://u:p@example.com/",
  ]) {
    const places: readonly (readonly [unknown, string])[] = [
      [[rule({}, "x"), { if: { country: ["DE"] }, then: { longUrl: bad } }], "rules.1.then.longUrl"],
      [[{ split: [...SHARED, { longUrl: bad, weight: 1 }] }], "rules.0.split.2.longUrl"],
      [[{ if: {}, then: { split: [{ longUrl: bad, weight: 1 }] } }], "rules.0.then.split.0.longUrl"],
    ];
    const code = await create([]);
    for (const [rules, path] of places) {
      const refused = { status: 400, body: { code: "url_not_allowed", errors: [{ path }] } };
      expect(await call("POST", "/links", { longUrl: LONG_URL, rules }), bad).toMatchObject(refused);
      expect(await call("PUT", "/links", { longUrl: LONG_URL, externalId: "bad", rules }), bad).toMatchObject(refused);
      expect(await call("PATCH", `/links/${code}`, { rules }), bad).toMatchObject(refused);
    }
    expect(await locationOf(code)).toBe(LONG_URL);
  }
});

// Two thousand visits take long where others work as well.
test(
  "a split divides 1,000 visitors by its weights, and each of them goes where they went before",
  { timeout: 180_000 },
  async ({ expect }) => {
    const code = await create([{ split: SHARED }]);
    const first = await destinations(code, 1000);
    // 700 are expected; six standard deviations, which chance exceeds once in 500 million runs, are 87.
    expect(Math.abs(first.filter((url) => url.endsWith("/a")).length - 700)).toBeLessThan(87);
    expect(first.filter((url) => url.endsWith("/b")).length).toBe(
      1000 - first.filter((url) => url.endsWith("/a")).length,
    );
    await call("PATCH", `/links/${code}`, {
      title: "other",
      expiredUrl: "https://example.com/over",
      longUrl: "https://example.com/new",
    });
    expect(await destinations(code, 1000)).toEqual(first);
    // Nor does another process, which shares nothing but the database and Redis.
    const elsewhere = await startService(HOST);
    const again = Array.from({ length: 30 }, async (_, at) => {
      const headers = from({ address: `198.51.0.${at}`, userAgent: FIREFOX });
      return (await see(elsewhere.fetch(`/${code}`, { headers }))).headers["location"];
    });
    expect(await Promise.all(again)).toEqual(first.slice(0, 30));
    await elsewhere.stop();
  },
);

test("a weight that grows moves visitors to its destination and nobody else, also behind a new rule", async ({
  expect,
}) => {
  const [a, b] = SHARED;
  const code = await create([{ split: SHARED }]);
  const first = await destinations(code, 500);
  const rules = [rule({ country: ["DE"] }, "de"), { split: [a, { ...b, weight: 70 }] }];
  await call("PATCH", `/links/${code}`, { rules });
  const even = await destinations(code, 500);
  const moved = even.filter((url, at) => url !== first[at]);
  expect(new Set(moved)).toEqual(new Set(["https://example.com/b"]));
  // From 30 % to 50 %: a fifth, and six standard deviations.
  expect(Math.abs(moved.length - 100)).toBeLessThan(54);
});

test("where a link leads by rules no browser remembers, whatever its status, and HEAD says the same", async ({
  expect,
}) => {
  for (const redirectStatus of [301, 302, 307, 308]) {
    const code = await create([rule({ country: ["DE"] }, "de")], { redirectStatus });
    for (const [visitor, location] of [
      [{ country: "DE" }, "https://example.com/de"],
      [{}, LONG_URL],
    ] as const)
      for (const method of ["GET", "HEAD"])
        expect(await visit(`/${code}`, visitor, method)).toMatchObject({
          status: redirectStatus,
          headers: { location, "cache-control": "no-store" },
        });
    await call("PATCH", `/links/${code}`, { rules: null });
    const remembered = redirectStatus === 301 || redirectStatus === 308;
    expect((await visit(`/${code}`)).headers["cache-control"]).toBe(remembered ? "public, max-age=86400" : "no-store");
  }
});

test("what a visitor adds goes on to the destination that was chosen", async ({ expect }) => {
  const rules = [{ if: { country: ["DE"] }, then: { longUrl: "https://example.com/de?x=1#top" } }];
  const code = await create(rules, { forwardQuery: true, forwardPath: true });
  const at = async (visitor: Visitor) => (await visit(`/${code}/b?x=2&y=3`, visitor)).headers["location"];
  expect(await at({ country: "DE" })).toBe("https://example.com/de/b?x=1&y=3#top");
  expect(await at({})).toBe(`${LONG_URL}/b?x=2&y=3`);
});

test("rules open no link that is closed: disabled, over, spent or not begun", async ({ expect }) => {
  const rules = [rule({}, "in")];
  expect(await visit(`/${await create(rules, { disabled: true })}`)).toMatchObject({ status: 404 });
  expect(await visit(`/${await create(rules, { validSince: FUTURE })}`)).toMatchObject({ status: 404 });
  expect(await visit(`/${await create(rules, { expireAt: PAST })}`)).toMatchObject({ status: 410 });
  const over = await create(rules, { expireAt: PAST, expiredUrl: "https://example.com/over" });
  expect(await locationOf(over)).toBe("https://example.com/over");
  const once = await create(rules, { maxClicks: 1 });
  expect(await locationOf(once, { userAgent: FIREFOX })).toBe("https://example.com/in");
  expect(await visit(`/${once}`, { userAgent: FIREFOX })).toMatchObject({ status: 410 });
});

test("a preview shows where this visitor would go, and that it depends", async ({ expect }) => {
  const code = await create([rule({ country: ["DE"] }, "de"), { split: SHARED }]);
  const german = await visit(`/${code}+`, { country: "DE" });
  expect(german.text).toContain('href="https://example.com/de"');
  expect(german.text).toContain("depends on who follows it");
  const visitor = { country: "FR", address: "198.51.100.7", userAgent: FIREFOX };
  expect((await visit(`/${code}+`, visitor)).text).toContain(`href="${await locationOf(code, visitor)}"`);
  await call("PATCH", `/links/${code}`, { rules: null });
  expect((await visit(`/${code}+`)).text).not.toContain("depends");
  const limited = await create([rule({ device: ["mobile"] }, "phones")], { maxClicks: 1 });
  const bot = { userAgent: `${ANDROID} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)` };
  expect((await visit(`/${limited}`, bot)).text).toContain('href="https://example.com/phones"');
});

test("a click names the destination that was chosen, and so do the figures", async ({ expect }) => {
  const code = await create([rule({ country: ["DE"] }, "de"), rule({ device: ["ios"] }, "ios")]);
  for (const visitor of [{ country: "DE" }, { country: "DE" }, { userAgent: IPHONE }, {}])
    await visit(`/${code}`, visitor);
  await visit(`/${code}`, { country: "DE" }, "HEAD");
  const breakdown = async () => {
    const { body } = await call("GET", `/links/${code}/stats`);
    return fieldOf(fieldOf(body, "breakdowns"), "destination");
  };
  await expect.poll(breakdown, { timeout: 15_000 }).toEqual([
    { value: "https://example.com/de", clicks: 2 },
    { value: LONG_URL, clicks: 1 },
    { value: "https://example.com/ios", clicks: 1 },
  ]);
});

test("a webhook is told of the rules", async ({ expect }) => {
  const receiver = await startReceiver(() => ({ status: 200 }));
  const hook = await call("POST", "/webhooks", {
    url: `${receiver.origin}/rules`,
    events: ["link.created", "link.updated"],
    domain: HOST,
    tags: ["ruled"],
  });
  const rules = [{ if: { country: ["DE"], before: FUTURE }, then: { split: SHARED } }];
  const code = await create(rules, { tags: ["ruled"] });
  await call("PATCH", `/links/${code}`, { rules: null });
  const told = () => receiver.at("/rules").map(({ text }) => fieldOf(fieldOf(JSON.parse(text), "data"), "rules"));
  await expect.poll(() => told().length, { timeout: 30_000 }).toBe(2);
  expect(told()).toEqual(expect.arrayContaining([rules, []]));
  await call("DELETE", `/webhooks/${String(fieldOf(hook.body, "id"))}`);
  await receiver.stop();
});

test("rules that only SQL can have written send nobody anywhere, until they are set anew", async ({ expect }) => {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  const broken = [
    '{"if":{}}',
    "null",
    "[1]",
    '[{"if":{"sun":true},"then":{"longUrl":"https://example.com/"}}]',
    '[{"if":{},"then":{"longUrl":"javascript:alert(1)"}}]',
  ];
  const codes = new Map<string, string>();
  for (const stored of broken) {
    const code = await create([rule({}, "in")]);
    codes.set(stored, code);
    const where = `domain = '${HOST}' AND short_code = '${code}'`;
    await neon(databaseUrl).query(`UPDATE short_links SET rules = '${stored}', version = version + 1 WHERE ${where}`);
  }
  // Without the caches of the other, as everywhere a little later.
  const fresh = await startService(HOST, { REDIS_PREFIX: "broken-rules:" });
  for (const [stored, code] of codes) {
    const location = async () => (await see(fresh.fetch(`/${code}`, { headers: from({}) }))).headers["location"];
    expect(await see(fresh.fetch(`/${code}`, { headers: from({}) })), stored).toMatchObject({ status: 404 });
    expect(await see(fresh.api("GET", `/links/${code}`)), stored).toMatchObject({ status: 200 });
    // Kept, they would be a guess; dropped, they would send everybody to longUrl.
    expect(await see(fresh.api("PATCH", `/links/${code}`, { title: "x" })), stored).toMatchObject({
      status: 400,
      body: { errors: [{ path: stored.includes("javascript") ? "rules.0.then.longUrl" : "rules" }] },
    });
    expect(await see(fresh.fetch(`/${code}`, { headers: from({}) })), stored).toMatchObject({ status: 404 });
    expect(await see(fresh.api("PATCH", `/links/${code}`, { rules: null })), stored).toMatchObject({ status: 200 });
    expect(await location(), stored).toBe(LONG_URL);
  }
  await fresh.stop();
});
