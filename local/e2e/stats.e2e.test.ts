/**
 * Statistics over HTTP, from real visits: who counts as a person, what a visit tells, and which questions are refused.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { createLink, fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "stats.example.test";
const COUNTED_WITHIN_MS = 10_000;
const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1";
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const create = (fields: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  createLink(service, { longUrl: "https://example.com/stats", ...fields });

const stats = (code: string, query = ""): Promise<Seen> => see(service.api("GET", `/links/${code}/stats${query}`));

/** The figures when so many clicks are counted, or what they were when the time was over. */
async function settled(code: string, clicks: number): Promise<Seen> {
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  let seen = await stats(code);
  while (totalsOf(seen)["clicks"] !== clicks && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    seen = await stats(code);
  }
  return seen;
}

function totalsOf({ body }: Seen): Readonly<Record<string, unknown>> {
  const totals = fieldOf(body, "totals");
  return isRecord(totals) ? totals : {};
}

function breakdown({ body }: Seen, name: string): unknown {
  return fieldOf(fieldOf(body, "breakdowns"), name);
}

test("B001, B005, B006, B146: people and bots are told apart, and visitors counted once", async ({ expect }) => {
  const code = await create();
  const visits: Record<string, string>[] = [
    { "User-Agent": "WhatsApp/2.23.20.0 A" },
    { "User-Agent": "facebookexternalhit/1.1" },
    { "User-Agent": "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1)" },
    { "User-Agent": "python-requests/2" },
    {
      "User-Agent": CHROME,
      "CF-Connecting-IP": "203.0.113.7",
      Referer: "https://t.co/abc",
      "Accept-Language": "de-DE,en;q=0.5",
    },
    { "User-Agent": CHROME, "CF-Connecting-IP": "203.0.113.7", Referer: "not a url" },
    { "User-Agent": IPHONE, "CF-Connecting-IP": "2001:db8::1", Referer: "https://l.facebook.com/l.php?u=x" },
  ];
  for (const headers of visits) expect((await service.fetch(`/${code}?utm_source=mail`, { headers })).status).toBe(302);
  await service.fetch(`/${code}?qr=1`, { headers: { "User-Agent": CHROME, DNT: "1" } });
  await service.fetch(`/${code}`, { method: "HEAD", headers: { "User-Agent": IPHONE } });
  const seen = await settled(code, 8);
  expect(seen.status).toBe(200);
  expect(totalsOf(seen)).toEqual({ clicks: 8, humans: 4, bots: 4, visitors: 2 });
  expect(breakdown(seen, "bot")).toEqual([
    { value: "crawler", clicks: 3 },
    { value: "tool", clicks: 1 },
    { value: "(none)", clicks: 4 },
  ]);
  expect(breakdown(seen, "destination")).toEqual([
    { value: "https://example.com/stats", clicks: 7 },
    { value: "(unknown)", clicks: 1 },
  ]);
  const people = await stats(code, "?bots=exclude&timezone=Europe/Berlin");
  expect(totalsOf(people)).toEqual({ clicks: 4, humans: 4, bots: 0, visitors: 2 });
  expect(breakdown(people, "referrer")).toEqual([
    { value: "Facebook", clicks: 1 },
    { value: "X", clicks: 1 },
    { value: "(direct)", clicks: 2 },
  ]);
  expect(breakdown(people, "device")).toEqual([
    { value: "desktop", clicks: 2 },
    { value: "mobile", clicks: 1 },
    { value: "(unknown)", clicks: 1 },
  ]);
  expect(breakdown(people, "language")).toContainEqual({ value: "de-DE", clicks: 1 });
  expect(breakdown(people, "utmSource")).toContainEqual({ value: "mail", clicks: 3 });
  const series = fieldOf(people.body, "series");
  expect(series).toHaveLength(30);
  expect(Array.isArray(series) ? series.at(-1) : undefined).toEqual({
    time: expect.stringMatching(/T00:00:00\.000\+0[12]:00$/),
    clicks: 4,
    humans: 4,
  });
  expect(totalsOf(await stats(code, "?bots=only"))).toEqual({ clicks: 4, humans: 0, bots: 4, visitors: 0 });
  const minutes = await stats(code, `?interval=minute&from=${new Date(Date.now() - 3_600_000).toISOString()}`);
  expect(totalsOf(minutes)).toMatchObject({ clicks: 8 });
  const counted = fieldOf(minutes.body, "series");
  expect(Array.isArray(counted) ? counted.reduce((sum, bucket) => sum + Number(fieldOf(bucket, "clicks")), 0) : 0).toBe(
    8,
  );
});

test("the figures of a tag, of a domain and of all links have their most visited links", async ({ expect }) => {
  const tag = `tag-${Date.now()}`;
  const [busy, quiet] = [await create({ tags: [tag] }), await create({ tags: [tag] })];
  for (const code of [busy, busy, quiet]) await service.fetch(`/${code}`, { headers: { "User-Agent": CHROME } });
  await settled(busy, 2);
  await settled(quiet, 1);
  const tagged = await see(service.api("GET", `/stats?tag=${tag}`));
  expect(totalsOf(tagged)).toMatchObject({ clicks: 3, humans: 3 });
  expect(fieldOf(tagged.body, "topLinks")).toMatchObject([
    { shortCode: busy, domain: HOST, clicks: 2 },
    { shortCode: quiet, clicks: 1 },
  ]);
  const [domain, all] = [
    await see(service.api("GET", `/stats?domain=${HOST}`)),
    await see(service.api("GET", "/stats")),
  ];
  expect(Number(totalsOf(domain)["clicks"])).toBeGreaterThanOrEqual(3);
  expect(Number(totalsOf(all)["clicks"])).toBeGreaterThanOrEqual(Number(totalsOf(domain)["clicks"]));
  expect(totalsOf(await see(service.api("GET", "/stats?domain=nobody.example")))).toMatchObject({ clicks: 0 });
});

test.for([
  "from=2021-02-30",
  "from=2021-13-01",
  "from=yesterday",
  "to=2021-09-12&from=2021-09-13",
  "timezone=Mars/Olympus",
  "timezone=%2B02:00",
  "interval=minute",
  "interval=second",
  "limit=0",
  "limit=101",
  "bots=no",
  "timezone=UTC'--",
  "from=0001-01-01",
  "to=0000-01-01",
  "timezone=CET",
  "to=9999-12-31&interval=hour",
])("B053: %s is refused as a whole", async (query, { expect }) => {
  const code = await create();
  const seen = await stats(code, `?${query}`);
  expect(seen.status).toBe(400);
  expect(seen.body).toMatchObject({ code: "invalid_request", errors: [{ path: expect.any(String) }] });
});

test("B054: an offset's plus sign that arrived as a space is an offset all the same", async ({ expect }) => {
  const code = await create();
  for (const sign of ["+", "%2B", "%20"]) {
    const seen = await stats(code, `?from=2021-09-13T00:00:00${sign}02:00&to=2021-09-13T12:00:00${sign}02:00`);
    expect(seen.body, sign).toMatchObject({ from: "2021-09-12T22:00:00.000Z", to: "2021-09-13T10:15:00.000Z" });
  }
});

test("the raw log is read page by page, newest first, and no click is skipped or seen twice while others come", async ({
  expect,
}) => {
  const code = await create();
  const visit = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        service.fetch(`/${code}?utm_source==${at}`, {
          headers: { "User-Agent": CHROME, "CF-Connecting-IP": "203.0.113.7" },
        }),
      ),
    );
  await visit(7);
  await settled(code, 7);
  const seen: string[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null && page < 9; page += 1) {
    const { body } = await see(
      service.api("GET", `/links/${code}/clicks?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`),
    );
    const clicks = fieldOf(body, "clicks");
    for (const click of Array.isArray(clicks) ? clicks : []) seen.push(String(fieldOf(click, "id")));
    const next = fieldOf(body, "nextCursor");
    cursor = typeof next === "string" ? next : null;
    if (page === 0) {
      await visit(2);
      await settled(code, 9);
    }
  }
  expect(seen).toHaveLength(7);
  expect(new Set(seen).size).toBe(7);
  const [newest] = [await see(service.api("GET", `/links/${code}/clicks?limit=1`))];
  expect(newest.body).toMatchObject({
    clicks: [
      { device: "desktop", browser: "Chrome", bot: null, ip: "203.0.113.0", trigger: "link", userAgent: CHROME },
    ],
  });

  const csv = await see(service.api("GET", `/links/${code}/clicks?format=csv&limit=5`));
  expect(csv.headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "x-next-cursor": expect.stringMatching(/^[\w-]+$/),
  });
  expect(csv.text.split("\r\n")).toHaveLength(7);
  expect(csv.text).toContain(",'=");
  for (const query of [
    "cursor=x",
    "cursor=%00",
    `cursor=${btoa("999999999999999.0f0e0d0c-0b0a-4908-8706-050403020100")}`,
    "limit=1001",
    "format=xml",
    "from=yesterday",
  ]) {
    expect((await see(service.api("GET", `/links/${code}/clicks?${query}`))).status, query).toBe(400);
  }
  expect((await see(service.api("GET", `/links/${code}/clicks?to=2020-01-01`))).body).toEqual({
    clicks: [],
    nextCursor: null,
  });
});

test.for(["tag=%00", "domain=%00", "tag="])("figures of all links: %s is refused", async (query, { expect }) => {
  expect((await see(service.api("GET", `/stats?${query}`))).status).toBe(400);
});

test("a link that is none has no figures, and nobody sees any without a key", async ({ expect }) => {
  expect((await stats("no-such-link")).status).toBe(404);
  for (const path of ["/api/v1/stats", "/api/v1/links/abc/stats"]) {
    expect((await service.fetch(path)).status, path).toBe(401);
  }
  expect((await see(service.api("POST", "/stats"))).headers["allow"]).toContain("GET");
});
