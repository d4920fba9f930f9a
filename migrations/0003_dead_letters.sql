-- Queue messages that could not be handled, kept for a person to look at: nothing is thrown away unseen.
CREATE TABLE dead_letters (
  queue       text NOT NULL,
  message_id  text NOT NULL,
  body        text NOT NULL,
  reason      text NOT NULL,
  attempts    smallint NOT NULL,
  sent_at     timestamptz(3) NOT NULL,
  buried_at   timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, message_id)
);
