/**
 * Counts a crowd's clicks in this process, and compares what stands in the database: single clicks with all their columns, figures of every
 * dimension, visitors, and the counts of the links. No statement here sums anything that is compared.
 *
 * @module
 */
import type { Client } from "pg";
import type { Crowd, CrowdClick } from "./crowd.ts";

const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Links that are compared at a time. */
const PAGE = 50;
const TABLES = ["click_logs", "click_rollups", "click_visitors"] as const;

/** Rows that were compared, and a line for each that differs. */
export interface Recount {
  readonly rows: Readonly<Record<(typeof TABLES)[number], number>>;
  readonly differences: readonly string[];
}

/** What a table should hold, or holds: a text that says which row it is, and what stands in it. */
type Table = ReadonlyMap<string, string>;

/** Compares. `clicks` are the numbers of those that were delivered. */
export async function recount(client: Client, crowd: Crowd): Promise<Recount> {
  const byLink = clicksByLink(crowd);
  const differences: string[] = [];
  const rows = { click_logs: 0, click_rollups: 0, click_visitors: 0 };
  for (let first = 0; first < crowd.linkIds.length; first += PAGE) {
    const ids = crowd.linkIds.slice(first, first + PAGE);
    const clicks = ids.flatMap((id) => byLink.get(id) ?? []).map((index) => crowd.clickAt(index));
    compare("click_logs", new Map(clicks.map(rawRow)), await readRaw(client, ids), rows, differences);
    compare("click_rollups", countFigures(clicks), await readFigures(client, ids), rows, differences);
    compare("click_visitors", countVisitors(clicks), await readVisitors(client, ids, daysOf(crowd)), rows, differences);
    compare("short_links", countLinks(ids, clicks), await readLinks(client, ids), undefined, differences);
    compare("visitors", countDays(clicks), await readDays(client, ids), undefined, differences);
  }
  for (const table of TABLES) {
    const { rows: counted } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    if (Number(counted[0]?.count) !== rows[table]) differences.push(`${table}: ${counted[0]?.count} rows in all`);
  }
  return { rows, differences };
}

function clicksByLink(crowd: Crowd): Map<string, number[]> {
  const byLink = new Map<string, number[]>(crowd.linkIds.map((id) => [id, []]));
  for (let index = 0; index < crowd.clicks; index += 1) byLink.get(crowd.clickAt(index).linkId)?.push(index);
  return byLink;
}

function compare(
  name: string,
  expected: Table,
  found: Table,
  rows: Record<string, number> | undefined,
  differences: string[],
): void {
  if (rows !== undefined) rows[name] = (rows[name] ?? 0) + expected.size;
  for (const [key, value] of expected) {
    const stands = found.get(key);
    if (stands !== value) differences.push(`${name} ${key}: ${value} expected, ${stands ?? "nothing"} found`);
  }
  for (const [key, value] of found) if (!expected.has(key)) differences.push(`${name} ${key}: ${value} is too much`);
}

/** Every column of a single click but its id, in the order of {@link RAW_COLUMNS}. */
function rawRow(click: CrowdClick): [string, string] {
  const { id, linkId, at, country, region, city, referrer, source, language, userAgent, ip, device, browser, os } =
    click;
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent, destination, trigger, bot, visitor } = click;
  const columns = [
    linkId,
    String(at),
    country,
    region,
    city,
    referrer,
    source,
    language,
    userAgent,
    ip,
    device,
    browser,
    os,
  ];
  const more = [utmSource, utmMedium, utmCampaign, utmTerm, utmContent, destination, trigger, bot, visitor];
  return [id, JSON.stringify([...columns, ...more])];
}

const RAW_COLUMNS = `link_id::text, ${epochMs("clicked_at")}, country, region, city, referrer, source, language, user_agent, ip, device, browser,
  os, utm_source, utm_medium, utm_campaign, utm_term, utm_content, destination, trigger, bot, lpad(to_hex(visitor), 16, '0')`;

function epochMs(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint::text`;
}

async function read(
  client: Client,
  key: string,
  columns: string,
  from: string,
  ids: readonly string[],
): Promise<Table> {
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT ${key}, ${columns} FROM ${from}`,
    values: [ids],
    rowMode: "array",
  });
  return new Map(rows.map(([name, ...values]) => [name ?? "", JSON.stringify(values)]));
}

function readRaw(client: Client, ids: readonly string[]): Promise<Table> {
  return read(client, "id::text", RAW_COLUMNS, "click_logs WHERE link_id = ANY($1::bigint[])", ids);
}

/** Dimension and value; null values have no figure. */
function factsOf(click: CrowdClick): (readonly [string, string | null])[] {
  return [
    ["total", ""],
    ["country", click.country],
    ["region", click.region],
    ["city", click.city],
    ["referrer", click.source],
    ["device", click.device],
    ["browser", click.browser],
    ["os", click.os],
    ["language", click.language],
    ["destination", click.destination],
    ["utmSource", click.utmSource],
    ["utmMedium", click.utmMedium],
    ["utmCampaign", click.utmCampaign],
    ["utmTerm", click.utmTerm],
    ["utmContent", click.utmContent],
    ["trigger", click.trigger],
    ["bot", click.bot],
  ];
}

/** Clicks and people, for each bucket. A crowd has fewer values of a dimension than are kept apart. */
function countFigures(clicks: readonly CrowdClick[]): Table {
  const figures = new Map<string, [number, number]>();
  for (const click of clicks) {
    const buckets = [`q ${floor(click.at, QUARTER_MS)}`, `d ${floor(click.at, DAY_MS)}`];
    for (const [dimension, value] of factsOf(click)) {
      if (value === null) continue;
      for (const bucket of buckets) {
        const key = `${click.linkId} ${bucket} ${dimension} ${value}`;
        const figure = figures.get(key) ?? [0, 0];
        figure[0] += 1;
        if (click.bot === null) figure[1] += 1;
        figures.set(key, figure);
      }
    }
  }
  return new Map([...figures].map(([key, figure]) => [key, JSON.stringify(figure.map(String))]));
}

function readFigures(client: Client, ids: readonly string[]): Promise<Table> {
  const key = `concat_ws(' ', link_id, grain, ${epochMs("bucket")}, dimension, value)`;
  return read(client, key, "clicks::text, humans::text", "click_rollups WHERE link_id = ANY($1::bigint[])", ids);
}

function isVisitor(click: CrowdClick): boolean {
  return click.bot === null && click.visitor !== null;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function countVisitors(clicks: readonly CrowdClick[]): Table {
  return new Map(
    clicks.filter(isVisitor).map(({ linkId, at, visitor }) => [`${linkId} ${dayOf(at)} ${visitor ?? ""}`, "[null]"]),
  );
}

/** Of these days alone, since the table is sorted by them; rows of other days would show in its number of rows. */
function readVisitors(client: Client, ids: readonly string[], days: readonly string[]): Promise<Table> {
  const key = "concat_ws(' ', link_id, day, lpad(to_hex(visitor), 16, '0'))";
  const listed = days.map((day) => `'${day}'`).join();
  return read(client, key, "NULL", `click_visitors WHERE day IN (${listed}) AND link_id = ANY($1::bigint[])`, ids);
}

function daysOf({ from, spanMs }: Crowd): string[] {
  const days = Math.floor((from + spanMs) / DAY_MS) - Math.floor(from / DAY_MS) + 1;
  return Array.from({ length: days }, (_, day) => dayOf(from + day * DAY_MS));
}

/**
 * Visitors of a link's day, twice: in the row of the day, and in those of its quarters together. In which quarter somebody counts
 * depends on which of their clicks was delivered first.
 */
function countDays(clicks: readonly CrowdClick[]): Table {
  const days = new Map<string, Set<string>>();
  for (const click of clicks) {
    const key = `${click.linkId} ${floor(click.at, DAY_MS)}`;
    const people = days.get(key) ?? new Set();
    days.set(key, people);
    if (isVisitor(click) && click.visitor !== null) people.add(click.visitor);
  }
  return new Map([...days].map(([key, people]) => [key, JSON.stringify([people.size, people.size])]));
}

async function readDays(client: Client, ids: readonly string[]): Promise<Table> {
  const { rows } = await client.query<{ link: string; grain: string; at: string; visitors: string }>(
    `SELECT link_id::text AS link, grain, ${epochMs("bucket")} AS at, visitors::text FROM click_rollups
     WHERE link_id = ANY($1::bigint[]) AND (visitors > 0 OR dimension = 'total')`,
    [ids],
  );
  const days = new Map<string, [number, number]>();
  for (const { link, grain, at, visitors } of rows) {
    const key = `${link} ${floor(Number(at), DAY_MS)}`;
    const day = days.get(key) ?? [0, 0];
    day[grain === "d" ? 0 : 1] += Number(visitors);
    days.set(key, day);
  }
  return new Map([...days].map(([key, day]) => [key, JSON.stringify(day)]));
}

function countLinks(ids: readonly string[], clicks: readonly CrowdClick[]): Table {
  const links = new Map<string, { count: number; lastAt: number | null }>(
    ids.map((id) => [id, { count: 0, lastAt: null }]),
  );
  for (const { linkId, at } of clicks) {
    const link = links.get(linkId);
    if (link === undefined) continue;
    link.count += 1;
    link.lastAt = Math.max(link.lastAt ?? 0, at);
  }
  return new Map(
    [...links].map(([id, { count, lastAt }]) => [
      id,
      JSON.stringify([String(count), lastAt === null ? null : String(lastAt)]),
    ]),
  );
}

function readLinks(client: Client, ids: readonly string[]): Promise<Table> {
  const columns = `click_count::text, ${epochMs("last_click_at")}`;
  return read(client, "id::text", columns, "short_links WHERE id = ANY($1::bigint[])", ids);
}

function floor(at: number, step: number): number {
  return Math.floor(at / step) * step;
}
