-- How often codes were asked for that do not exist, by day (UTC): a thousand codes a day, and in the row without domain and code
-- what was more.
CREATE TABLE code_misses (
  day     date NOT NULL,
  domain  text NOT NULL,
  code    text NOT NULL,
  misses  bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (day, domain, code)
);
