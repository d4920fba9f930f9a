-- How often a link may be followed; the Durable Object of the link counts.
ALTER TABLE short_links ADD COLUMN max_clicks integer CHECK (max_clicks > 0);
