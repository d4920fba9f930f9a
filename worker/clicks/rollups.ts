/**
 * How new clicks are added to the figures: the part of the consumer's statement that fills `click_visitors` and `click_rollups`.
 *
 * @module
 */
import { sql } from "drizzle-orm";

/**
 * So many values of a dimension are kept apart in each bucket; what comes later is summed under the empty value. Consumers that add
 * new values at the same moment do not see each other's, so there may be as many times more.
 */
const MAX_VALUES = 200;

/**
 * From `inserted` (rows of `click_logs`) to `rolled`. A visitor is a person (no bot) whose first click of the day (UTC) came with this
 * statement; they count in the quarter of an hour of that click.
 *
 * The planner takes each of these for a handful of rows, so nothing here joins two of them: with thousands of rows a loop over both would be
 * most of the time (`IS TRUE` keeps a look-up in a hash from becoming one). Values are looked up and ranked only where there may be too many:
 * not in a bucket with fewer clicks than values are kept, nor where those that stand and those that come fit in.
 * Whatever can be reckoned is reckoned before the first visitor is written, since another consumer waits for these rows until this one is done.
 */
export const ROLLED_UP = sql`
  quarters AS (
    SELECT link_id, date_bin('15 minutes', clicked_at, timestamptz 'epoch') AS quarter, dimension, value,
      count(*) AS clicks, count(*) FILTER (WHERE bot IS NULL) AS humans
    FROM inserted CROSS JOIN LATERAL (VALUES
      ('total', ''), ('country', country), ('region', region), ('city', city), ('referrer', source), ('device', device),
      ('browser', browser), ('os', os), ('language', language), ('destination', destination), ('utmSource', utm_source),
      ('utmMedium', utm_medium), ('utmCampaign', utm_campaign), ('utmTerm', utm_term), ('utmContent', utm_content),
      ('trigger', trigger), ('bot', bot)
    ) AS dimensions(dimension, value)
    WHERE value IS NOT NULL GROUP BY 1, 2, 3, 4
  ), grains AS (
    SELECT link_id, 'q' AS grain, dimension, quarter AS bucket, value, clicks, humans FROM quarters
    UNION ALL
    SELECT link_id, 'd', dimension, date_trunc('day', quarter, 'UTC'), value, sum(clicks), sum(humans)
    FROM quarters GROUP BY 1, 3, 4, 5
  ), busy AS (
    SELECT link_id, grain, bucket FROM grains
    WHERE dimension = 'total' AND clicks + coalesce((
      SELECT standing.clicks FROM click_rollups AS standing
      WHERE standing.link_id = grains.link_id AND standing.grain = grains.grain AND standing.dimension = 'total'
        AND standing.bucket = grains.bucket AND standing.value = ''
    ), 0) > ${sql.raw(String(MAX_VALUES))}
  ), crowded AS (
    SELECT link_id, grain, dimension, bucket FROM grains
    WHERE dimension <> 'total' AND ((link_id, grain, bucket) IN (SELECT link_id, grain, bucket FROM busy)) IS TRUE
    GROUP BY 1, 2, 3, 4 HAVING count(*) + (
      SELECT count(*) FROM click_rollups AS standing
      WHERE standing.link_id = grains.link_id AND standing.grain = grains.grain
        AND standing.dimension = grains.dimension AND standing.bucket = grains.bucket
    ) > ${sql.raw(String(MAX_VALUES))}
  ), added AS MATERIALIZED (
    SELECT *, (link_id, grain, dimension, bucket) IN (SELECT link_id, grain, dimension, bucket FROM crowded) AS is_crowded
    FROM grains WHERE dimension <> 'total'
  ), placed AS (
    SELECT added.*, known.value IS NOT NULL AS is_known, row_number() OVER (
      PARTITION BY link_id, grain, dimension, bucket, known.value IS NOT NULL ORDER BY added.clicks DESC, added.value
    ) AS place
    FROM added LEFT JOIN click_rollups AS known USING (link_id, grain, dimension, bucket, value) WHERE is_crowded
  ), arrived AS (
    SELECT (clicked_at AT TIME ZONE 'UTC')::date AS day, link_id, visitor, min(clicked_at) AS first_at
    FROM inserted WHERE visitor IS NOT NULL AND bot IS NULL GROUP BY 1, 2, 3
  ), welcomed AS (
    INSERT INTO click_visitors (day, link_id, visitor)
    SELECT day, link_id, visitor FROM arrived ORDER BY day, link_id, visitor
    ON CONFLICT DO NOTHING
    RETURNING day, link_id, visitor
  ), newcomers AS (
    SELECT link_id, date_bin('15 minutes', min(first_at), timestamptz 'epoch') AS quarter FROM (
      SELECT day, link_id, visitor, first_at FROM arrived UNION ALL SELECT day, link_id, visitor, NULL FROM welcomed
    ) AS both_lists GROUP BY day, link_id, visitor HAVING count(*) = 2
  ), bounded AS (
    SELECT link_id, grain, dimension, bucket, value AS kept, clicks, humans, 0 AS visitors FROM added WHERE NOT is_crowded
    UNION ALL
    SELECT link_id, grain, dimension, bucket, CASE
      WHEN is_known OR place + (
        SELECT count(*) FROM click_rollups AS standing
        WHERE standing.link_id = placed.link_id AND standing.grain = placed.grain
          AND standing.dimension = placed.dimension AND standing.bucket = placed.bucket
      ) <= ${sql.raw(String(MAX_VALUES))} THEN value ELSE '' END,
      sum(clicks), sum(humans), 0
    FROM placed GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT link_id, grain, 'total', bucket, '', sum(clicks), sum(humans), sum(visitors) FROM (
      SELECT link_id, grain, bucket, clicks, humans, 0 AS visitors FROM grains WHERE dimension = 'total'
      UNION ALL
      SELECT link_id, grain, bucket, 0, 0, 1 FROM newcomers CROSS JOIN LATERAL (VALUES
        ('q', quarter), ('d', date_trunc('day', quarter, 'UTC'))
      ) AS both_grains(grain, bucket)
    ) AS totals GROUP BY 1, 2, 4
  ), rolled AS (
    INSERT INTO click_rollups AS rollup (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
    SELECT link_id, grain, dimension, bucket, kept, clicks, humans, visitors FROM bounded
    ORDER BY link_id, grain, dimension, bucket, kept
    ON CONFLICT (link_id, grain, dimension, bucket, value) DO UPDATE SET
      clicks = rollup.clicks + excluded.clicks,
      humans = rollup.humans + excluded.humans,
      visitors = rollup.visitors + excluded.visitors
    RETURNING 1
  )`;
