-- What a click tells beyond place and time: device, campaign, destination, how the visitor came, and whether one did.
-- Rows from before keep NULL where nothing was noted.
ALTER TABLE click_logs
  ADD COLUMN source       text,
  ADD COLUMN device       text,
  ADD COLUMN browser      text,
  ADD COLUMN os           text,
  ADD COLUMN utm_source   text,
  ADD COLUMN utm_medium   text,
  ADD COLUMN utm_campaign text,
  ADD COLUMN utm_term     text,
  ADD COLUMN utm_content  text,
  ADD COLUMN destination  text,
  -- 'link' or 'qr'
  ADD COLUMN trigger      text NOT NULL DEFAULT 'link',
  -- Why it is not taken for a person's: 'crawler', 'tool' or 'silent'; NULL: it is.
  ADD COLUMN bot          text;
