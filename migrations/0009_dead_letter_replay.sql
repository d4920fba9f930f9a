-- A person found that a message can be handled after all: the Worker sends it again with its next run of cron.
ALTER TABLE dead_letters ADD COLUMN replay_requested boolean NOT NULL DEFAULT false;

--> statement-breakpoint

CREATE INDEX dead_letters_replay_idx ON dead_letters (buried_at) WHERE replay_requested;
