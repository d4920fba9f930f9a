-- Figures kept ready: what a link's statistics read, so that they cost days and not clicks.
-- `grain` is 'q' (a quarter of an hour: every time zone starts its days on one) or 'd' (a day in UTC), and `bucket` its first instant.
-- `dimension` 'total' has the value '' and all clicks; in any other one '' holds what was more than the values kept apart.
-- Clicks of which a dimension is not known are in its 'total' alone.
CREATE TABLE click_rollups (
  link_id   bigint NOT NULL,
  grain     text NOT NULL,
  dimension text NOT NULL,
  bucket    timestamptz(0) NOT NULL,
  value     text NOT NULL,
  clicks    bigint NOT NULL,
  humans    bigint NOT NULL,
  -- Of 'total' alone: people who came for the first time on their day (UTC).
  visitors  bigint NOT NULL,
  PRIMARY KEY (link_id, grain, dimension, bucket, value)
);

--> statement-breakpoint

-- The people seen on a day (UTC), by a hash whose salt is gone when the day is.
CREATE TABLE click_visitors (
  day     date NOT NULL,
  link_id bigint NOT NULL,
  visitor bigint NOT NULL,
  PRIMARY KEY (day, link_id, visitor)
);

--> statement-breakpoint

ALTER TABLE click_logs ADD COLUMN visitor bigint;

--> statement-breakpoint

-- The clicks so far, as far as they were described.
INSERT INTO click_rollups (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
SELECT link_id, grain, dimension, bucket, value, count(*), count(*) FILTER (WHERE bot IS NULL), 0
FROM click_logs
CROSS JOIN LATERAL (VALUES
  ('q', date_bin('15 minutes', clicked_at, timestamptz 'epoch')), ('d', date_trunc('day', clicked_at, 'UTC'))
) AS grains(grain, bucket)
CROSS JOIN LATERAL (VALUES
  ('total', ''), ('country', country), ('region', region), ('city', city), ('referrer', coalesce(source, referrer)), ('device', device),
  ('browser', browser), ('os', os), ('language', language), ('destination', destination), ('utmSource', utm_source),
  ('utmMedium', utm_medium), ('utmCampaign', utm_campaign), ('utmTerm', utm_term), ('utmContent', utm_content),
  ('trigger', trigger), ('bot', bot)
) AS dimensions(dimension, value)
WHERE value IS NOT NULL
GROUP BY link_id, grain, dimension, bucket, value;
