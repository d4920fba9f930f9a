-- Erases the clicks of a link from `from_at` until before `to_at`, both on a quarter of an hour (or infinite): single clicks, figures and
-- the counts of the link. Answers how many clicks the figures lost. A second call finds none.
-- Clicks are written by nobody meanwhile: consumers lock the tables they write before any row, so they wait here and hold no row that this
-- waits for. Each statement below sees what was written before the lock was had.
CREATE FUNCTION erase_clicks(erased_link bigint, from_at timestamptz, to_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  erased  bigint;
  touched timestamptz[];
BEGIN
  LOCK TABLE click_rollups IN SHARE ROW EXCLUSIVE MODE;
  -- Of a day that is erased in part the visitors stay known: who comes again on it is not counted as new.
  DELETE FROM click_visitors
  WHERE link_id = erased_link AND day::timestamp AT TIME ZONE 'UTC' >= from_at AND (day + 1)::timestamp AT TIME ZONE 'UTC' <= to_at;
  WITH gone AS (
    DELETE FROM click_rollups
    WHERE link_id = erased_link AND grain = 'q' AND bucket >= from_at AND bucket < to_at
    RETURNING dimension, bucket, clicks
  )
  SELECT coalesce(sum(clicks) FILTER (WHERE dimension = 'total'), 0), array_agg(DISTINCT date_trunc('day', bucket, 'UTC'))
  INTO erased, touched FROM gone;
  -- A day is made anew of the quarters that it has left: subtracting could not, as a value may be kept apart in one grain alone.
  -- 200 values are kept apart, as the consumer does it (worker/clicks/rollups.ts).
  DELETE FROM click_rollups WHERE link_id = erased_link AND grain = 'd' AND bucket = ANY (touched);
  INSERT INTO click_rollups (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
  SELECT erased_link, 'd', dimension, day, CASE WHEN place <= 200 THEN value ELSE '' END, sum(clicks), sum(humans), sum(visitors)
  FROM (
    SELECT *, row_number() OVER (PARTITION BY dimension, day ORDER BY value = '', clicks DESC, value) AS place
    FROM (
      SELECT dimension, date_trunc('day', bucket, 'UTC') AS day, value,
        sum(clicks) AS clicks, sum(humans) AS humans, sum(visitors) AS visitors
      FROM click_rollups
      WHERE link_id = erased_link AND grain = 'q' AND date_trunc('day', bucket, 'UTC') = ANY (touched)
      GROUP BY 1, 2, 3
    ) AS summed
  ) AS ranked
  GROUP BY dimension, day, 5;
  DELETE FROM click_logs WHERE link_id = erased_link AND clicked_at >= from_at AND clicked_at < to_at;
  IF erased > 0 THEN
    UPDATE short_links SET
      click_count = greatest(click_count - erased, 0),
      last_click_at = greatest(
        (SELECT max(clicked_at) FROM click_logs WHERE link_id = erased_link),
        (SELECT max(bucket) FROM click_rollups WHERE link_id = erased_link AND grain = 'q')
      )
    WHERE id = erased_link;
  END IF;
  RETURN erased;
END
$$;
