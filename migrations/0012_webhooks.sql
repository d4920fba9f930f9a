-- The triggers below take both tables. Taken one after the other while consumers write, the two would wait for each other for ever; and
-- who cannot have them soon gives up, so that nobody waits behind this: run it again.
SET LOCAL lock_timeout = '10s';

--> statement-breakpoint

LOCK TABLE click_logs, short_links IN SHARE ROW EXCLUSIVE MODE;

--> statement-breakpoint

-- Who is told of clicks and changes of links. `secret` is what its messages are signed with; the one before stays valid until `previous_until`.
CREATE TABLE webhooks (
  id              uuid PRIMARY KEY,
  url             text NOT NULL,
  description     text,
  secret          text NOT NULL,
  previous_secret text,
  previous_until  timestamptz(3),
  events          text[] NOT NULL,
  -- Only links of this domain, and only links that have one of these tags; null and empty: of all.
  domain          text,
  tags            text[] NOT NULL DEFAULT '{}',
  -- Since when nothing but failures came of it; null while it works.
  failing_since   timestamptz(3),
  disabled_at     timestamptz(3),
  disabled_reason text CHECK (disabled_reason IN ('asked', 'failing', 'gone')),
  created_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL,
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);

--> statement-breakpoint

-- What each of them is to be told, and what came of it. The triggers below fill it in the transaction that makes an event true. No foreign
-- key: a webhook that is deleted at this moment must never keep a click from being written.
CREATE TABLE webhook_deliveries (
  webhook_id      uuid NOT NULL,
  -- Made of what happened, so that the same event can never stand here twice.
  event_id        text NOT NULL,
  type            text NOT NULL,
  occurred_at     timestamptz(3) NOT NULL,
  -- Of a link: the row as it was. Of a click: what is sent.
  payload         jsonb NOT NULL,
  attempts        smallint NOT NULL DEFAULT 0,
  -- Null: never again. While it is being sent: when whoever sends it is given up.
  next_attempt_at timestamptz(3),
  delivered_at    timestamptz(3),
  last_attempt_at timestamptz(3),
  last_status     smallint,
  last_error      text,
  last_ms         integer,
  PRIMARY KEY (webhook_id, event_id)
);

--> statement-breakpoint

CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;

--> statement-breakpoint

CREATE INDEX webhook_deliveries_occurred_at_idx ON webhook_deliveries (webhook_id, occurred_at, event_id);

--> statement-breakpoint

-- A link that was made, changed (clicks do not change its version) or deleted.
CREATE FUNCTION announce_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  link short_links;
  word text;
  at   timestamptz;
BEGIN
  IF TG_OP = 'DELETE' THEN
    link := OLD;
    word := 'deleted';
    at := clock_timestamp();
  ELSE
    link := NEW;
    word := CASE TG_OP WHEN 'INSERT' THEN 'created' ELSE 'updated' END;
    at := NEW.updated_at;
  END IF;
  INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, payload, next_attempt_at)
  SELECT hook.id, word || '_' || link.id || '_' || link.version, 'link.' || word, at,
    to_jsonb(link) - '{fingerprint,filter_epoch,filter_adds,creator_ip}'::text[], now()
  FROM webhooks AS hook
  WHERE hook.disabled_at IS NULL AND 'link.' || word = ANY (hook.events)
    AND (hook.domain IS NULL OR hook.domain = link.domain) AND (hook.tags = '{}' OR hook.tags && link.tags)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

--> statement-breakpoint

CREATE TRIGGER announce_link_changed AFTER UPDATE ON short_links
  FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION announce_link();

--> statement-breakpoint

CREATE TRIGGER announce_link_made_or_gone AFTER INSERT OR DELETE ON short_links
  FOR EACH ROW EXECUTE FUNCTION announce_link();

--> statement-breakpoint

-- Clicks of people that were written just now: those that came before are not among the new rows. What is told of a click is made once for
-- all who are told. So that a receiver that is gone, or slower than the clicks, fills no disk, no more clicks are kept of a webhook that has failed
-- for a day, or whose oldest delivery has been due for a day.
CREATE FUNCTION announce_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM webhooks WHERE disabled_at IS NULL AND 'link.clicked' = ANY (events)) THEN
    RETURN NULL;
  END IF;
  WITH listening AS MATERIALIZED (
    SELECT id, domain, tags FROM webhooks AS hook
    WHERE disabled_at IS NULL AND 'link.clicked' = ANY (events)
      AND (failing_since IS NULL OR failing_since > now() - interval '1 day')
      AND NOT EXISTS (
        SELECT FROM webhook_deliveries WHERE webhook_id = hook.id AND next_attempt_at < now() - interval '1 day')
  ), told AS MATERIALIZED (
    SELECT click.id, click.clicked_at, link.domain, link.tags, jsonb_build_object(
      'click', jsonb_build_object(
        'id', click.id, 'time', to_char(click.clicked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'country', click.country, 'region', click.region, 'city', click.city, 'referrer', click.referrer, 'source', click.source,
        'language', click.language, 'device', click.device, 'browser', click.browser, 'os', click.os,
        'utmSource', click.utm_source, 'utmMedium', click.utm_medium, 'utmCampaign', click.utm_campaign,
        'utmTerm', click.utm_term, 'utmContent', click.utm_content, 'destination', click.destination,
        'trigger', click.trigger, 'userAgent', click.user_agent),
      'link', jsonb_build_object(
        'id', link.id::text, 'domain', link.domain, 'shortCode', link.short_code, 'longUrl', link.long_url,
        'title', link.title, 'tags', link.tags)
    ) AS payload
    FROM new_clicks AS click JOIN short_links AS link ON link.id = click.link_id
    WHERE click.bot IS NULL AND EXISTS (
      SELECT FROM listening AS hook WHERE (hook.domain IS NULL OR hook.domain = link.domain) AND (hook.tags = '{}' OR hook.tags && link.tags))
  )
  INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, payload, next_attempt_at)
  SELECT hook.id, 'clicked_' || told.id, 'link.clicked', told.clicked_at, told.payload, now()
  FROM told JOIN listening AS hook
    ON (hook.domain IS NULL OR hook.domain = told.domain) AND (hook.tags = '{}' OR hook.tags && told.tags)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

--> statement-breakpoint

CREATE TRIGGER announce_clicks AFTER INSERT ON click_logs
  REFERENCING NEW TABLE AS new_clicks FOR EACH STATEMENT EXECUTE FUNCTION announce_clicks();

--> statement-breakpoint

-- A click that is erased is erased here as well, also of webhooks that are deleted: it goes from one webhook to the next through the index. Months
-- that are dropped, and rows that move to their month, come past this.
CREATE FUNCTION retract_clicks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH RECURSIVE known AS (
    (SELECT webhook_id AS id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > known.id ORDER BY webhook_id LIMIT 1)
    FROM known WHERE known.id IS NOT NULL
  )
  DELETE FROM webhook_deliveries AS delivery USING old_clicks AS click, known
  WHERE delivery.webhook_id = known.id AND delivery.event_id = 'clicked_' || click.id;
  RETURN NULL;
END
$$;

--> statement-breakpoint

CREATE TRIGGER retract_clicks AFTER DELETE ON click_logs
  REFERENCING OLD TABLE AS old_clicks FOR EACH STATEMENT EXECUTE FUNCTION retract_clicks();
