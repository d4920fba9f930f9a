-- Whether a link passes on to its destination what a visitor adds to it: their query, and the path behind the code.
ALTER TABLE short_links
  ADD COLUMN forward_query boolean NOT NULL DEFAULT false,
  ADD COLUMN forward_path  boolean NOT NULL DEFAULT false;
