-- Where a link's visitors go who are not all to go to its long_url: what shared/rules.ts reads, times in epoch milliseconds. A link whose rules are not
-- understood whole sends nobody anywhere.
ALTER TABLE short_links ADD COLUMN rules jsonb NOT NULL DEFAULT '[]';
