-- The caller's own id of a link, unique on its domain.
ALTER TABLE short_links ADD COLUMN external_id text;

--> statement-breakpoint

-- Younger than the index of fingerprints: Postgres asks the indexes of a table in the order in which they were made, so the same automatic
-- link asked for twice at once meets its fingerprint first, and is found rather than refused.
CREATE UNIQUE INDEX short_links_domain_external_id_key ON short_links (domain, external_id) WHERE external_id IS NOT NULL;

--> statement-breakpoint

-- The orders in which links are listed. There is none of `click_count`, and may be none: while no index has that column, a count that is
-- raised touches no index at all (a heap-only update), and every batch of clicks raises counts.
CREATE INDEX short_links_created_idx ON short_links (created_at, id);

--> statement-breakpoint

CREATE INDEX short_links_domain_created_idx ON short_links (domain, created_at, id);

--> statement-breakpoint

-- What few links are, and would be looked for among all of them.
CREATE INDEX short_links_disabled_idx ON short_links (created_at, id) WHERE disabled;

--> statement-breakpoint

CREATE INDEX short_links_expire_at_idx ON short_links (expire_at) WHERE expire_at IS NOT NULL;

--> statement-breakpoint

CREATE INDEX short_links_tags_idx ON short_links USING gin (tags);

--> statement-breakpoint

CREATE EXTENSION IF NOT EXISTS pg_trgm;

--> statement-breakpoint

-- Part of a code, of a URL or of a title, in any case. Between them stands what no search may hold, so none is found across two.
CREATE INDEX IF NOT EXISTS short_links_search_idx ON short_links
  USING gin ((short_code || E'\x01' || long_url || E'\x01' || coalesce(title, '')) gin_trgm_ops);

--> statement-breakpoint

-- Room on each page for a row whose count is raised, without which it moves to another page and touches every index after all.
ALTER TABLE short_links SET (fillfactor = 90);
