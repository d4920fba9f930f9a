-- Who may use the API, besides whoever holds ADMIN_KEY. Of a key only its SHA-256 is kept: it has 256 random bits, so that nothing slower
-- is needed, and its first characters, for a person to tell it by. A key that is revoked has no row.
CREATE TABLE api_keys (
  id           uuid PRIMARY KEY,
  hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  hint         text NOT NULL,
  name         text NOT NULL,
  scopes       text[] NOT NULL CHECK (scopes <> '{}' AND scopes <@ ARRAY['links:read', 'links:write', 'stats:read', 'admin']),
  expires_at   timestamptz(3),
  last_used_at timestamptz(3),
  created_at   timestamptz(3) NOT NULL
);
--> statement-breakpoint

-- What a POST with an Idempotency-Key came to, for 24 hours. `caller` is a key's id, or 'admin'. Body and answer stand here only under keys
-- that are derived from the caller's own: `fingerprint` is an HMAC, `answer` is encrypted, and null while the first still runs.
CREATE TABLE idempotency_keys (
  caller      text NOT NULL,
  key         text NOT NULL,
  fingerprint bytea NOT NULL,
  -- Whose request runs, and when it is given up.
  holder      uuid NOT NULL,
  lease_until timestamptz(3) NOT NULL,
  answer      bytea,
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (caller, key)
);

--> statement-breakpoint

CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
