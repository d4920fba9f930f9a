-- The raw clicks, one partition a month (UTC) and a default one, so that an early or late click always has a place.
-- No foreign key: the click of a link that was deleted meanwhile is still a click.
CREATE TABLE click_logs (
  id         uuid NOT NULL,
  link_id    bigint NOT NULL,
  clicked_at timestamptz(3) NOT NULL,
  country    text,
  region     text,
  city       text,
  referrer   text,
  language   text,
  user_agent text,
  ip         text,
  PRIMARY KEY (id, clicked_at)
) PARTITION BY RANGE (clicked_at);

--> statement-breakpoint

CREATE TABLE click_logs_default PARTITION OF click_logs DEFAULT;

--> statement-breakpoint

CREATE INDEX click_logs_link_id_clicked_at_idx ON click_logs (link_id, clicked_at);

--> statement-breakpoint

-- Makes the partition of the month that `moment` lies in, once, and moves there what waits in the default partition.
-- Answers whether it was made now. Safe while clicks are written and when two callers run at once.
CREATE FUNCTION make_click_partition(moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  first_instant timestamptz := date_trunc('month', moment, 'UTC');
  next_instant  timestamptz;
  partition     text := 'click_logs_' || to_char(moment AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
  -- Adding a month is done in the session's zone; in UTC every month starts where the one before ends.
  next_instant := ((first_instant AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
  PERFORM pg_advisory_xact_lock(hashtext('hop:click_partitions'));
  IF to_regclass(quote_ident(partition)) IS NOT NULL THEN
    RETURN false;
  END IF;
  -- Whoever writes to the default partition waits here; a row that slipped in would make ATTACH fail.
  LOCK TABLE click_logs_default IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('CREATE TABLE %I (LIKE click_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
  EXECUTE format(
    'WITH moved AS (DELETE FROM click_logs_default WHERE clicked_at >= %L AND clicked_at < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
    first_instant, next_instant, partition
  );
  EXECUTE format('ALTER TABLE click_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, first_instant, next_instant);
  RETURN true;
END
$$;

--> statement-breakpoint

SELECT make_click_partition(now() + month * interval '1 month') FROM generate_series(0, 2) AS month;
