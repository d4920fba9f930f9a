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

-- What is searched of a link: its code, its URL and its title. Between them stands what no search may hold, so none is found across two. In a
-- table of its own, since its index is dear to write and has nothing to do with clicks: each batch of those raises counts in `short_links`, and
-- a row that moves to another page thereby is entered anew into every index of that table.
CREATE TABLE link_texts (
  link_id  bigint PRIMARY KEY,
  searched text NOT NULL
);

--> statement-breakpoint

CREATE FUNCTION keep_link_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO link_texts (link_id, searched)
  VALUES (NEW.id, NEW.short_code || E'\x01' || NEW.long_url || E'\x01' || coalesce(NEW.title, ''))
  ON CONFLICT (link_id) DO UPDATE SET searched = excluded.searched;
  RETURN NULL;
END
$$;

--> statement-breakpoint

CREATE TRIGGER keep_link_text_made AFTER INSERT ON short_links FOR EACH ROW EXECUTE FUNCTION keep_link_text();

--> statement-breakpoint

CREATE TRIGGER keep_link_text_changed AFTER UPDATE OF short_code, long_url, title ON short_links
  FOR EACH ROW WHEN ((OLD.short_code, OLD.long_url, OLD.title) IS DISTINCT FROM (NEW.short_code, NEW.long_url, NEW.title))
  EXECUTE FUNCTION keep_link_text();

--> statement-breakpoint

CREATE FUNCTION drop_link_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM link_texts WHERE link_id = OLD.id;
  RETURN NULL;
END
$$;

--> statement-breakpoint

CREATE TRIGGER drop_link_text AFTER DELETE ON short_links FOR EACH ROW EXECUTE FUNCTION drop_link_text();

--> statement-breakpoint

-- The links so far. The triggers stand already, and hold off writers until this file is committed: none is missed.
INSERT INTO link_texts (link_id, searched)
SELECT id, short_code || E'\x01' || long_url || E'\x01' || coalesce(title, '') FROM short_links;

--> statement-breakpoint

CREATE INDEX link_texts_searched_idx ON link_texts USING gin (searched gin_trgm_ops);

--> statement-breakpoint

-- Room on each page for rows whose counts are raised: without it they move to another page and touch every index.
ALTER TABLE short_links SET (fillfactor = 90);
