-- The links. `short_code` is unique on its domain; ids are snowflakes (see shared/snowflake.ts).
CREATE TABLE short_links (
  id              bigint PRIMARY KEY,
  domain          text NOT NULL,
  short_code      text NOT NULL,
  long_url        text NOT NULL,
  type            text NOT NULL CHECK (type IN ('auto', 'custom')),
  title           text,
  tags            text[] NOT NULL DEFAULT '{}',
  notes           text,
  metadata        jsonb NOT NULL DEFAULT '{}',
  redirect_status smallint NOT NULL DEFAULT 302 CHECK (redirect_status IN (301, 302, 307, 308)),
  valid_since     timestamptz(3),
  expire_at       timestamptz(3),
  expired_url     text,
  disabled        boolean NOT NULL DEFAULT false,
  -- SHA-256 of the destination and all settings. Set only on links that a repeated creation may find again.
  fingerprint     bytea,
  -- Microseconds since 1970 of the last change, strictly rising: what caches compare, so that an old row never replaces a newer one.
  version         bigint NOT NULL,
  click_count     bigint NOT NULL DEFAULT 0,
  last_click_at   timestamptz(3),
  creator_ip      text,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT short_links_domain_short_code_key UNIQUE (domain, short_code)
);

--> statement-breakpoint

-- A hash, not the URL: a b-tree entry holds about 2,700 bytes at most, and a URL may have 8,192 characters.
CREATE UNIQUE INDEX short_links_domain_fingerprint_key ON short_links (domain, fingerprint) WHERE fingerprint IS NOT NULL;
