/**
 * The Lua that runs inside Redis. A script is one command, billed once and done in one piece.
 *
 * @module
 */

/**
 * Compare-and-set: keeps ARGV[1] under KEYS[1] for ARGV[2] seconds unless what stands there is newer. Stored entries begin
 * with their version in 16 digits, so comparing two as text compares them as numbers. Answers 1 if it was kept.
 */
export const KEEP_UNLESS_OLDER = `
local known = redis.call('GET', KEYS[1])
if known and string.sub(known, 1, 16) > string.sub(ARGV[1], 1, 16) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`;

/** The same for several: KEYS[i] takes ARGV[i + 1], all of them for ARGV[1] seconds. */
export const KEEP_ALL_UNLESS_OLDER = `
for i = 1, #KEYS do
  local known = redis.call('GET', KEYS[i])
  if not known or string.sub(known, 1, 16) <= string.sub(ARGV[i + 1], 1, 16) then
    redis.call('SET', KEYS[i], ARGV[i + 1], 'EX', ARGV[1])
  end
end
return #KEYS`;
