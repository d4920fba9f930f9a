-- What the isolates have counted, added up: one row a counter. The names are those of `shared/counters.ts`.
CREATE TABLE metrics (
  name       text PRIMARY KEY,
  value      numeric NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
--> statement-breakpoint

-- The reports of counts that are in it, by the day (UTC) on which they came, so that one which is delivered twice counts once.
CREATE TABLE metric_reports (
  id  uuid PRIMARY KEY,
  day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date
);
--> statement-breakpoint
CREATE INDEX metric_reports_day ON metric_reports (day);
