-- Who cannot have the table soon gives up, so that nobody waits behind this: run it again.
SET LOCAL lock_timeout = '10s';

--> statement-breakpoint

-- A link that is imported was made elsewhere, long ago: nobody is told that it was made just now. Whoever imports says so for its own
-- transaction. Replaced in place, so that no change goes untold in between.
CREATE OR REPLACE TRIGGER announce_link_made_or_gone AFTER INSERT OR DELETE ON short_links
  FOR EACH ROW WHEN (current_setting('hop.importing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION announce_link();

--> statement-breakpoint

-- The order in which links are exported: by bytes, so that it is the same in every database, whatever its collation.
CREATE INDEX short_links_export_idx ON short_links (domain COLLATE "C", short_code COLLATE "C");
