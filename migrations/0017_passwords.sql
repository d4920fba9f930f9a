-- What the password of a link is proved against: a slow hash that says how it was made (`shared/password.ts`). Null: the link asks for none.
ALTER TABLE short_links ADD COLUMN password_hash text;

--> statement-breakpoint

-- As in 0012_webhooks.sql, but that the hash stays where it is: what is kept to be told says no more than that there was one.
CREATE OR REPLACE FUNCTION announce_link() RETURNS trigger LANGUAGE plpgsql AS $$
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
  IF link.password_hash IS NOT NULL THEN
    link.password_hash := '';
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
