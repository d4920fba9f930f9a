-- The foreign key takes the table of links for a moment; who cannot have it soon gives up, so that nobody waits behind this: run it again.
SET LOCAL lock_timeout = '10s';

--> statement-breakpoint

-- Links whose destinations are to be looked at again, and when. Only while a check is switched on are rows made.
CREATE TABLE url_checks (
  link_id  bigint PRIMARY KEY REFERENCES short_links (id) ON DELETE CASCADE,
  -- While they are being looked at: when whoever does is given up.
  due_at   timestamptz(3) NOT NULL,
  -- When everybody who was asked found nothing wrong; null: somebody could not be asked.
  clear_at timestamptz(3),
  attempts smallint NOT NULL DEFAULT 0
);

--> statement-breakpoint

CREATE INDEX url_checks_due_at_idx ON url_checks (due_at);
