/**
 * The files of other services, in the shape in which each writes them.
 *
 * @module
 */
import { describe, test } from "vitest";
import { createLinkBody } from "../../../shared/schema/link.ts";
import { linksIn, rowsIn } from "./fixture.ts";

const at = (time: string) => Date.parse(time);
const jsonl = (...objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join("");

describe("Bitly", () => {
  const api = {
    created_at: "2023-05-04T08:09:10+0000",
    id: "bit.ly/3xYz12",
    link: "https://bit.ly/3xYz12",
    custom_bitlinks: ["https://bit.ly/spring-sale", "https://go.acme.example/spring"],
    long_url: "https://acme.example/landing?utm_source=x",
    title: "Spring",
    archived: true,
    created_by: "someone",
    client_id: "a1",
    tags: ["spring", "print"],
    deeplinks: [],
    references: { group: "https://api-ssl.bitly.com/v4/groups/B1" },
  };

  test("B233: the custom back-half is used, and the random one is told, in CSV and in the API's JSON", async ({
    expect,
  }) => {
    const files = [
      jsonl(api),
      JSON.stringify({ links: [api], pagination: { next: "" } }),
      `id,title,long_url,created_at,link,archived,tags,custom_bitlinks,deeplinks\nbit.ly/3xYz12,Spring,${api.long_url},${api.created_at},https://bit.ly/3xYz12,true,spring|print,"https://bit.ly/spring-sale, https://go.acme.example/spring",\n`,
    ];
    for (const file of files) {
      expect(await linksIn(file)).toEqual([
        {
          longUrl: api.long_url,
          shortCode: "spring-sale",
          domain: "bit.ly",
          createdAt: at("2023-05-04T08:09:10Z"),
          clickCount: undefined,
          settings: { title: "Spring", tags: ["spring", "print"] },
          notes: [
            "Other short links of it were dropped: go.acme.example/spring, bit.ly/3xYz12.",
            expect.stringMatching(/archived.*redirects/),
          ],
        },
      ]);
    }
  });

  test("a table with the columns of the dashboard is read, by each of their names", async ({ expect }) => {
    const [first, second] = await linksIn(
      "Bitlink,Long URL,Title,Tags,Created,Total Clicks,Campaign\r\n" +
        'bit.ly/2AbCdEf,https://acme.example/a,"Say ""hi"", then go","a, b","Jan 5, 2024 10:11 PM","1,204",Q1\r\n' +
        "https://go.acme.example/Menu,https://acme.example/b,,,2024-01-06,0,\r\n",
    );
    expect(first).toMatchObject({
      domain: "bit.ly",
      shortCode: "2AbCdEf",
      createdAt: at("2024-01-05T22:11:00Z"),
      clickCount: 1204,
      settings: { title: 'Say "hi", then go', tags: ["a", "b"] },
      notes: ["Hop has no place for: Campaign."],
    });
    expect(second).toMatchObject({
      domain: "go.acme.example",
      shortCode: "Menu",
      clickCount: 0,
      settings: {},
      notes: [],
    });
    const [renamed] = await linksIn("Link,Custom Link,Destination URL\nbit.ly/3x,menu,https://acme.example/\n");
    expect(renamed).toMatchObject({ domain: "bit.ly", shortCode: "menu" });
  });

  test("a link that was deleted there is not brought back", async ({ expect }) => {
    expect(await rowsIn(jsonl({ ...api, is_deleted: true }))).toMatchObject([{ kind: "refused", line: 1 }]);
  });
});

describe("Shlink", () => {
  test("the web client's CSV keeps codes, domains, tags and visits, and forwards the query as Shlink does", async ({
    expect,
  }) => {
    const [link, path] = await linksIn(
      "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n" +
        '2022-11-02T10:00:00+01:00,s.acme.example,m%C3%A4rz,https://s.acme.example/m%C3%A4rz,https://acme.example/,"Title, with comma",a|b c,42\n' +
        "2022-11-02T10:00:00+01:00,s.acme.example,docs/api,https://s.acme.example/docs/api,https://acme.example/d,,,0\n",
    );
    expect(link).toEqual({
      longUrl: "https://acme.example/",
      shortCode: "märz",
      domain: "s.acme.example",
      createdAt: at("2022-11-02T09:00:00Z"),
      clickCount: 42,
      settings: { title: "Title, with comma", tags: ["a", "b c"], forwardQuery: true },
      notes: [],
    });
    expect(path).toMatchObject({ shortCode: "docs/api", clickCount: 0, settings: { forwardQuery: true } });
  });

  test("the importer's own CSV is read with its semicolons and spaces", async ({ expect }) => {
    const file = "Long URL;Tags;Domain;Short code;Title\nhttps://acme.example/;foo|bar;;abc;A title\n";
    for (const format of ["shlink", undefined] as const) {
      expect((await linksIn(file, { format }))[0]).toMatchObject({
        shortCode: "abc",
        domain: undefined,
        settings: { title: "A title", tags: ["foo", "bar"] },
      });
    }
  });

  test("the API's answer brings dates, limits and targets for devices", async ({ expect }) => {
    const url = {
      shortCode: "abc",
      shortUrl: "https://s.acme.example/abc",
      longUrl: "https://acme.example/",
      deviceLongUrls: { android: "https://play.example/1", ios: "https://apps.example/1", desktop: null },
      dateCreated: "2024-02-29T23:00:00+00:00",
      visitsSummary: { total: 7, nonBots: 5, bots: 2 },
      tags: ["x"],
      meta: { validSince: "2024-03-01T00:00:00+02:00", validUntil: "2030-01-01T00:00:00+00:00", maxVisits: 100 },
      domain: null,
      title: null,
      crawlable: true,
      forwardQuery: false,
      hasRedirectRules: true,
    };
    expect(await linksIn(JSON.stringify({ shortUrls: { data: [url], pagination: {} } }))).toEqual([
      {
        longUrl: "https://acme.example/",
        shortCode: "abc",
        domain: "s.acme.example",
        createdAt: at("2024-02-29T23:00:00Z"),
        clickCount: 7,
        settings: {
          tags: ["x"],
          validSince: "2024-02-29T22:00:00.000Z",
          expireAt: "2030-01-01T00:00:00.000Z",
          maxClicks: 100,
          forwardQuery: false,
          rules: [
            { if: { device: ["ios"] }, then: { longUrl: "https://apps.example/1" } },
            { if: { device: ["android"] }, then: { longUrl: "https://play.example/1" } },
          ],
        },
        notes: [expect.stringMatching(/crawlable/), expect.stringMatching(/redirect rules/)],
      },
    ]);
  });
});

describe("YOURLS", () => {
  test("B138: keywords that look like numbers are text, and titles with quotes are whole", async ({ expect }) => {
    const links = await linksIn(
      "keyword,url,title,timestamp,ip,clicks\n" +
        '0,https://acme.example/0,"Say ""hi""",2019-03-04 05:06:07,203.0.113.9,0\n' +
        "007,https://acme.example/7,https://acme.example/7,2019-03-04 05:06:07,203.0.113.9,12\n" +
        "1e3,https://acme.example/e,It's 5 o'clock,2019-03-04 05:06:07,203.0.113.9,\n",
    );
    expect(links.map(({ shortCode }) => shortCode)).toEqual(["0", "007", "1e3"]);
    expect(links.map(({ settings }) => settings["title"])).toEqual(['Say "hi"', undefined, "It's 5 o'clock"]);
    expect(links.map(({ clickCount }) => clickCount)).toEqual([0, 12, undefined]);
    expect(links.map(({ createdAt }) => createdAt)).toEqual(Array(3).fill(at("2019-03-04T05:06:07Z")));
    expect(JSON.stringify(links)).not.toContain("203.0.113.9");
  });

  test("what mysql, the plugin and the API write is read", async ({ expect }) => {
    const [mysql] = await linksIn(
      "keyword\turl\ttitle\ttimestamp\tip\tclicks\nabc\thttps://acme.example/\tNULL\t2019-03-04 05:06:07\t::1\t3\n",
    );
    const [object] = await linksIn(
      jsonl({
        keyword: "abc",
        url: "https://acme.example/",
        title: null,
        timestamp: "2019-03-04 05:06:07.000000",
        clicks: 3,
      }),
    );
    const [plugin] = await linksIn('source,target,hits\r\n/abc/,"https://acme.example/",3\r\n');
    const [api] = await linksIn(
      jsonl({
        shorturl: "https://sho.rt/abc",
        url: "https://acme.example/",
        title: "",
        timestamp: "2019-03-04 05:06:07",
        ip: "::1",
        clicks: "3",
      }),
    );
    for (const link of [mysql, object, plugin, api]) {
      expect(link).toMatchObject({
        longUrl: "https://acme.example/",
        shortCode: "abc",
        clickCount: 3,
        settings: {},
        notes: [],
      });
    }
    expect(api?.domain).toBe("sho.rt");
  });
});

describe("Kutt", () => {
  const link = {
    id: "6e2b2c1a-0000-4000-8000-000000000000",
    address: "AbC",
    banned: false,
    created_at: "2021-07-08T09:10:11.000Z",
    updated_at: "2021-07-09T09:10:11.000Z",
    password: true,
    description: "The menu",
    expire_in: "2031-01-01T00:00:00.000Z",
    domain: null,
    visit_count: 9,
    target: "https://acme.example/menu",
    link: "https://kutt.example/AbC",
  };

  test("the API's answer is read, and a password that it does not hold is told", async ({ expect }) => {
    const answer = {
      limit: 10,
      skip: 0,
      total: 2,
      data: [link, { ...link, password: false, banned: true, expire_in: null }],
    };
    const [first, second] = await linksIn(JSON.stringify(answer));
    expect(first).toEqual({
      longUrl: link.target,
      shortCode: "AbC",
      domain: "kutt.example",
      createdAt: at(link.created_at),
      updatedAt: at(link.updated_at),
      clickCount: 9,
      hasPassword: true,
      settings: { title: "The menu", expireAt: link.expire_in },
      notes: [expect.stringMatching(/password/)],
    });
    expect(second).toMatchObject({
      hasPassword: undefined,
      settings: { disabled: true },
      notes: [expect.stringMatching(/banned/)],
    });
  });

  test("the table as CSV is read, and no hash gets through", async ({ expect }) => {
    const [first] = await linksIn(
      "id,address,description,banned,banned_by_id,domain_id,password,expire_in,target,user_id,visit_count,uuid,created_at,updated_at\n" +
        `1,abc,,f,,,$2a$12$abcdefghijklmnopqrstuv,,https://acme.example/,1,0,6e2b,2021-07-08 09:10:11.123+02,2021-07-08 09:10:11.123+02\n`,
    );
    expect(first).toMatchObject({
      shortCode: "abc",
      createdAt: at("2021-07-08T07:10:11.123Z"),
      hasPassword: true,
    });
    expect(JSON.stringify(first)).not.toContain("$2a$");
  });
});

describe("Dub", () => {
  test("the dashboard's CSV is read by labels and by ids", async ({ expect }) => {
    const wanted = {
      longUrl: "https://acme.example/a?x=1",
      shortCode: "promo/spring",
      domain: "go.acme.example",
      createdAt: at("2024-08-09T10:11:12.131Z"),
      updatedAt: undefined,
      clickCount: 5,
      settings: { tags: ["one", "two"], forwardQuery: true },
      notes: [expect.stringMatching(/archived/)],
    };
    const files = [
      "Short link,Destination URL,Clicks,Created at,Link ID,Tags,Archived\n" +
        'https://go.acme.example/promo/spring,https://acme.example/a?x=1,5,2024-08-09T10:11:12.131Z,link_1,"[""one"",""two""]",true\n',
      "link,url,clicks,createdAt,tags,archived\n" +
        'https://go.acme.example/promo/spring,https://acme.example/a?x=1,5,Fri Aug 09 2024 10:11:12 GMT+0000 (Coordinated Universal Time),"one, two",true\n',
    ];
    expect((await linksIn(files[0] ?? ""))[0]).toMatchObject(wanted);
    expect((await linksIn(files[1] ?? ""))[0]).toMatchObject({ ...wanted, createdAt: at("2024-08-09T10:11:12Z") });
  });

  const api = {
    id: "link_1",
    domain: "go.acme.example",
    key: "App",
    url: "https://acme.example/app?utm_source=mail#top",
    externalId: "crm-1",
    archived: false,
    expiresAt: "2031-01-01T00:00:00.000Z",
    expiredUrl: "https://acme.example/over",
    password: "open sesame",
    proxy: true,
    title: "App",
    description: null,
    comments: "for the fair",
    ios: "https://apps.example/1",
    android: "https://play.example/1",
    geo: { DE: "https://acme.example/de" },
    testVariants: [
      { url: "https://acme.example/1", percentage: 60 },
      { url: "https://acme.example/2", percentage: 40 },
    ],
    testCompletedAt: "2031-06-01T00:00:00.000Z",
    tags: [{ id: "tag_1", name: "fair, 2026", color: "red" }],
    utm_source: "mail",
    utm_campaign: "spring & more",
    shortLink: "https://go.acme.example/App",
    qrCode: "https://api.dub.co/qr?url=x",
    clicks: 12,
    lastClicked: "2025-01-01T00:00:00.000Z",
    createdAt: "2024-08-09T10:11:12.131Z",
    updatedAt: "2024-08-10T10:11:12.131Z",
    workspaceId: "ws_1",
  };

  test("the API's answer brings devices, countries and variants as rules, and the campaign in the destination", async ({
    expect,
  }) => {
    expect(await linksIn(JSON.stringify([api]))).toEqual([
      {
        longUrl: "https://acme.example/app?utm_source=mail&utm_campaign=spring%20%26%20more#top",
        shortCode: "App",
        domain: "go.acme.example",
        createdAt: at(api.createdAt),
        updatedAt: at(api.updatedAt),
        clickCount: 12,
        lastClickAt: at(api.lastClicked),
        settings: {
          externalId: "crm-1",
          title: "App",
          tags: ["fair, 2026"],
          notes: "for the fair",
          expireAt: api.expiresAt,
          expiredUrl: api.expiredUrl,
          forwardQuery: true,
          password: "open sesame",
          rules: [
            { if: { device: ["ios"] }, then: { longUrl: api.ios } },
            { if: { device: ["android"] }, then: { longUrl: api.android } },
            { if: { country: ["DE"] }, then: { longUrl: "https://acme.example/de" } },
            {
              if: { before: "2031-06-01T00:00:00.000Z" },
              then: {
                split: [
                  { longUrl: "https://acme.example/1", weight: 60 },
                  { longUrl: "https://acme.example/2", weight: 40 },
                ],
              },
            },
          ],
        },
        notes: [expect.stringMatching(/preview card/)],
      },
    ]);
  });

  test("a raw table of it with null for nothing has nothing there", async ({ expect }) => {
    const [link] = await linksIn(
      "id,domain,key,url,archived,expiresAt,title,ios,geo,tags,shortLink\n" +
        'l1,go.acme.example,a,https://acme.example/,false,null,null,null,"{""DE"":""https://acme.example/de""}",null,https://go.acme.example/a\n',
    );
    expect(link?.settings).toEqual({
      forwardQuery: true,
      rules: [{ if: { country: ["DE"] }, then: { longUrl: "https://acme.example/de" } }],
    });
    expect(link?.notes).toEqual([]);
  });

  test("the link that is the domain itself is refused", async ({ expect }) => {
    expect(await rowsIn(jsonl({ ...api, key: "_root" }))).toMatchObject([{ kind: "refused" }]);
    expect(await rowsIn("Short link,Destination URL\nhttps://go.acme.example,https://acme.example/\n")).toMatchObject([
      { kind: "refused", line: 2 },
    ]);
  });
});

describe("any service", () => {
  test("texts and tags that are too long are cut or left out, and told, and pass the API's schema", async ({
    expect,
  }) => {
    const title = `${"t".repeat(511)}😀 and \u0007more`;
    const tags = ["x".repeat(65), ...Array.from({ length: 70 }, (_, index) => `tag ${index}`)];
    const [link] = await linksIn(
      jsonl({ key: "a", domain: "d.example", url: "https://acme.example/", title, tags, comments: "n".repeat(5000) }),
    );
    expect(link?.notes.join(" ")).toMatch(/title was cut to 512.*Tags left out.*notes was cut|Tags left out.*cut/s);
    const body = createLinkBody.safeParse({ longUrl: link?.longUrl, ...link?.settings });
    expect(body.error?.issues).toBeUndefined();
    expect(body.data?.title).toBe("t".repeat(511));
    expect(body.data?.tags).toHaveLength(64);
    expect(body.data?.notes).toHaveLength(4096);
  });

  test("a file said to be another service's is refused with the columns that it has", async ({ expect }) => {
    await expect(rowsIn("keyword,url\na,https://acme.example/\n", { format: "kutt" })).rejects.toThrow(
      /kutt.*keyword, url/,
    );
    expect((await linksIn("keyword,url\na,https://acme.example/\n", { format: "csv" }))[0]).toMatchObject({
      shortCode: "a",
    });
  });

  test("a spreadsheet of one's own brings codes, tags and dates under their usual names", async ({ expect }) => {
    const [first, second] = await linksIn(
      "Destination,Back-half,Tags,Date created,Hits,Notes\n" +
        'https://acme.example/1,/one,"a, b",2024-01-05,3,for the fair\n' +
        "https://acme.example/2,'-two,a|b c,,,\n",
    );
    expect(first).toMatchObject({
      shortCode: "one",
      createdAt: at("2024-01-05T00:00:00Z"),
      clickCount: 3,
      settings: { tags: ["a", "b"], notes: "for the fair" },
    });
    expect(second).toMatchObject({ shortCode: "-two", settings: { tags: ["a", "b c"] }, notes: [] });
  });

  test("a time that can be read in two ways is left out and told", async ({ expect }) => {
    const [link] = await linksIn("url,slug,created at\nhttps://acme.example/,a,03/04/2025 10:00\n");
    expect(link).toMatchObject({
      createdAt: undefined,
      notes: [expect.stringMatching(/created at was left out: “03\/04\/2025/)],
    });
  });
});
