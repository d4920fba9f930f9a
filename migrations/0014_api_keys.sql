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
