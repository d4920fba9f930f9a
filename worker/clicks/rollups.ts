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
 */
export const ROLLED_UP = sql`
  arrived AS (
    SELECT (clicked_at AT TIME ZONE 'UTC')::date AS day, link_id, visitor, min(clicked_at) AS first_at
    FROM inserted WHERE visitor IS NOT NULL AND bot IS NULL GROUP BY 1, 2, 3
  ), welcomed AS (
    INSERT INTO click_visitors (day, link_id, visitor)
    SELECT day, link_id, visitor FROM arrived ORDER BY day, link_id, visitor
    ON CONFLICT DO NOTHING
    RETURNING day, link_id, visitor
  ), facts AS (
    SELECT link_id, clicked_at AS at, dimension, value, 1 AS clicks, (bot IS NULL)::int AS humans, 0 AS visitors
    FROM inserted CROSS JOIN LATERAL (VALUES
      ('total', ''), ('country', country), ('region', region), ('city', city), ('referrer', source), ('device', device),
      ('browser', browser), ('os', os), ('language', language), ('destination', destination), ('utmSource', utm_source),
      ('utmMedium', utm_medium), ('utmCampaign', utm_campaign), ('utmTerm', utm_term), ('utmContent', utm_content),
      ('trigger', trigger), ('bot', bot)
    ) AS dimensions(dimension, value)
    WHERE value IS NOT NULL
    UNION ALL
    SELECT link_id, first_at, 'total', '', 0, 0, 1 FROM welcomed JOIN arrived USING (day, link_id, visitor)
  ), added AS (
    SELECT link_id, grain, dimension, bucket, value, sum(clicks) AS clicks, sum(humans) AS humans, sum(visitors) AS visitors
    FROM facts CROSS JOIN LATERAL (VALUES
      ('q', date_bin('15 minutes', at, timestamptz 'epoch')), ('d', date_trunc('day', at, 'UTC'))
    ) AS grains(grain, bucket)
    GROUP BY link_id, grain, dimension, bucket, value
  ), placed AS (
    SELECT added.*, known.value IS NOT NULL AS is_known, row_number() OVER (
      PARTITION BY link_id, grain, dimension, bucket, known.value IS NOT NULL ORDER BY added.clicks DESC, added.value
    ) AS place
    FROM added LEFT JOIN click_rollups AS known USING (link_id, grain, dimension, bucket, value)
  ), bounded AS (
    SELECT link_id, grain, dimension, bucket, CASE
      WHEN is_known OR place + (
        SELECT count(*) FROM click_rollups AS standing
        WHERE standing.link_id = placed.link_id AND standing.grain = placed.grain
          AND standing.dimension = placed.dimension AND standing.bucket = placed.bucket
      ) <= ${sql.raw(String(MAX_VALUES))} THEN value ELSE '' END AS kept,
      sum(clicks) AS clicks, sum(humans) AS humans, sum(visitors) AS visitors
    FROM placed GROUP BY link_id, grain, dimension, bucket, kept
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
