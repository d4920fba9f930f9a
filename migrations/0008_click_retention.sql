-- Drops the months of clicks that end at `before` or earlier (whole partitions, no row is touched), and deletes what lies before it in
-- the default partition. Answers how many partitions were dropped. Figures in click_rollups stay.
-- A lock that cannot be had within 5 seconds is given up: clicks are written meanwhile, and the next run tries again.
CREATE FUNCTION drop_click_partitions(before timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  partition text;
  dropped   integer := 0;
BEGIN
  PERFORM set_config('lock_timeout', '5s', true);
  PERFORM pg_advisory_xact_lock(hashtext('hop:click_partitions'));
  FOR partition IN
    SELECT child.relname FROM pg_inherits
    JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
    WHERE pg_inherits.inhparent = 'click_logs'::regclass AND child.relname ~ '^click_logs_[0-9]{4}_[0-9]{2}$'
      -- The month after the one in the name begins at or before `before`.
      AND (to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM click_logs_default WHERE clicked_at < before;
  RETURN dropped;
END
$$;
