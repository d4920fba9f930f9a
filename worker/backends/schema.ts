/**
 * The tables as drizzle sees them, for their column names and types. The tables themselves are made by the SQL in
 * `migrations/`, which knows what drizzle-kit does not (partitions, partial indexes, functions).
 *
 * @module
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { toHex } from "../../shared/hex.ts";

/** A 64-bit id as its decimal digits: JSON, which carries parameters, has no number that wide. */
const snowflake = customType<{ data: string; driverData: string }>({ dataType: () => "bigint" });

/** 32 bytes as lower-case hex. Postgres writes and reads `\x…`, which Neon's driver may have made bytes of. */
const sha256 = customType<{ data: string; driverData: string | Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (hex) => `\\x${hex}`,
  fromDriver: (value) => (typeof value === "string" ? value.slice(2) : toHex(value)),
});

const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

/** The links: `(domain, short_code)` is unique, and so are `(domain, fingerprint)` and `(domain, external_id)` among those that have one. */
export const shortLinks = pgTable(
  "short_links",
  {
    id: snowflake("id").primaryKey(),
    domain: text("domain").notNull(),
    shortCode: text("short_code").notNull(),
    longUrl: text("long_url").notNull(),
    type: text("type", { enum: ["auto", "custom"] }).notNull(),
    externalId: text("external_id"),
    title: text("title"),
    tags: text("tags").array().notNull().default([]),
    notes: text("notes"),
    metadata: jsonb("metadata").$type<unknown>().notNull().default({}),
    redirectStatus: smallint("redirect_status").notNull().default(302),
    validSince: instant("valid_since"),
    expireAt: instant("expire_at"),
    expiredUrl: text("expired_url"),
    disabled: boolean("disabled").notNull().default(false),
    maxClicks: integer("max_clicks"),
    forwardQuery: boolean("forward_query").notNull().default(false),
    forwardPath: boolean("forward_path").notNull().default(false),
    passwordHash: text("password_hash"),
    rules: jsonb("rules").$type<unknown>().notNull().default([]),
    fingerprint: sha256("fingerprint"),
    filterEpoch: bigint("filter_epoch", { mode: "number" }),
    filterAdds: bigint("filter_adds", { mode: "number" }),
    version: bigint("version", { mode: "number" }).notNull(),
    clickCount: bigint("click_count", { mode: "number" }).notNull().default(0),
    lastClickAt: instant("last_click_at"),
    creatorIp: text("creator_ip"),
    createdAt: instant("created_at").notNull().defaultNow(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (table) => [
    unique("short_links_domain_short_code_key").on(table.domain, table.shortCode),
    uniqueIndex("short_links_domain_fingerprint_key")
      .on(table.domain, table.fingerprint)
      .where(sql`${table.fingerprint} IS NOT NULL`),
    uniqueIndex("short_links_domain_external_id_key")
      .on(table.domain, table.externalId)
      .where(sql`${table.externalId} IS NOT NULL`),
    uniqueIndex("short_links_filter_key")
      .on(table.filterEpoch, table.filterAdds)
      .where(sql`${table.filterEpoch} IS NOT NULL`),
  ],
);

/** One row of `short_links`. */
export type ShortLinkRow = typeof shortLinks.$inferSelect;

/** Queue messages that could not be handled, kept for a person. `(queue, message_id)` is unique. */
export const deadLetters = pgTable(
  "dead_letters",
  {
    queue: text("queue").notNull(),
    messageId: text("message_id").notNull(),
    body: text("body").notNull(),
    reason: text("reason").notNull(),
    attempts: smallint("attempts").notNull(),
    sentAt: instant("sent_at").notNull(),
    buriedAt: instant("buried_at").notNull().defaultNow(),
    replayRequested: boolean("replay_requested").notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.queue, table.messageId] })],
);
