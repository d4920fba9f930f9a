-- What keeps the Bloom filter of custom codes, which lives in Redis, from ever missing one, whatever Redis forgets.
-- A custom code is added to the filter before its row is inserted, and the row keeps the stamp that the addition got:
-- the epoch of the filter, and the number of the addition in it. No two additions have the same. Automatic links have no
-- stamp, and neither have the rows that stood here before, or come past the service.
ALTER TABLE short_links
  ADD COLUMN filter_epoch bigint,
  ADD COLUMN filter_adds  bigint,
  ADD CONSTRAINT short_links_filter_stamp CHECK ((filter_epoch IS NULL) = (filter_adds IS NULL));

--> statement-breakpoint

-- A stamp that is given out twice proves that Redis has forgotten additions.
CREATE UNIQUE INDEX short_links_filter_key ON short_links (filter_epoch, filter_adds) WHERE filter_epoch IS NOT NULL;

--> statement-breakpoint

-- The order in which a rebuild reads.
CREATE INDEX short_links_custom_id_idx ON short_links (id) WHERE type = 'custom';

--> statement-breakpoint

-- One row. Stamps of an epoch before `epoch` are refused; generations of the filter begun before `since` are never trusted again.
CREATE TABLE filter_fence (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch    bigint NOT NULL,
  since    bigint NOT NULL
);

--> statement-breakpoint

INSERT INTO filter_fence (epoch, since) VALUES (0, 0);

--> statement-breakpoint

-- Transactions that wrote custom codes past the filter. Committed together with their rows, so who sees the one sees the other.
CREATE TABLE filter_bypassed (xid xid8 PRIMARY KEY);

--> statement-breakpoint

-- An advisory lock and not a row's: waiters queue, so a stream of insertions cannot keep the fence from being raised, and
-- nothing is written. Each query of this function sees what was committed before it began, so also what the fence became
-- while the lock was waited for.
CREATE FUNCTION check_filter_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  fence bigint;
BEGIN
  -- A row that is renamed by hand comes past the service like one without a stamp.
  IF NEW.filter_epoch IS NULL OR TG_OP = 'UPDATE' THEN
    INSERT INTO filter_bypassed (xid) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
    RETURN NEW;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtext('hop:filter_fence'));
  SELECT epoch INTO fence FROM filter_fence;
  IF NEW.filter_epoch < fence THEN
    RAISE EXCEPTION 'the filter is in epoch % by now, this stamp is of %', fence, NEW.filter_epoch
      USING ERRCODE = 'check_violation', CONSTRAINT = 'short_links_filter_fence', TABLE = 'short_links';
  END IF;
  RETURN NEW;
END
$$;

--> statement-breakpoint

CREATE TRIGGER short_links_filter_stamp BEFORE INSERT OR UPDATE OF domain, short_code, type ON short_links
FOR EACH ROW WHEN (NEW.type = 'custom') EXECUTE FUNCTION check_filter_stamp();

--> statement-breakpoint

-- Refuses stamps of epochs before `new_epoch` from now on, waits for the insertions under way, and answers the fence. When
-- codes came past the filter, generations begun before `unsound_before` lack them.
CREATE FUNCTION raise_filter_fence(new_epoch bigint, unsound_before bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  fence bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('hop:filter_fence'));
  WITH bypassed AS (DELETE FROM filter_bypassed RETURNING xid)
  UPDATE filter_fence
  SET since = greatest(since, unsound_before, CASE WHEN epoch > new_epoch THEN epoch + 1 ELSE 0 END)
  WHERE EXISTS (SELECT FROM bypassed);
  UPDATE filter_fence SET epoch = new_epoch WHERE epoch < new_epoch;
  SELECT epoch INTO fence FROM filter_fence;
  RETURN fence;
END
$$;

--> statement-breakpoint

-- Whether a filter that is in `current_epoch`, and gave out the numbers up to `counts[i]` in `epochs[i]` since it was last
-- found sound, has all codes that it should: no row has a stamp that it knows nothing of. From now on none can come, since
-- the fence is raised first. `begun` is the epoch in which its generation was begun. `newest` is the newest epoch anywhere;
-- beyond `current_epoch` it tells of another filter, or of a later check of the same one: then nothing is concluded.
CREATE FUNCTION settle_filter(current_epoch bigint, begun bigint, epochs bigint[], counts bigint[],
  OUT sound boolean, OUT newest bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT greatest(raise_filter_fence(current_epoch, current_epoch + 1), (SELECT max(filter_epoch) FROM short_links)) INTO newest;
  IF newest > current_epoch THEN
    sound := false;
    RETURN;
  END IF;
  SELECT NOT EXISTS (
    SELECT FROM short_links AS link
    WHERE link.filter_epoch >= epochs[1] AND link.filter_epoch < current_epoch AND NOT EXISTS (
      SELECT FROM unnest(epochs, counts) AS given (epoch, count)
      WHERE link.filter_epoch = given.epoch AND link.filter_adds <= given.count)
  ) INTO sound;
  UPDATE filter_fence SET since = greatest(since, current_epoch + 1) WHERE NOT sound;
  SELECT sound AND begun >= since FROM filter_fence INTO sound;
END
$$;
