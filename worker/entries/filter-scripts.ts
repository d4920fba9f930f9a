/**
 * The Lua of the filter of custom codes. Each script is one command, done in one piece. All of them see one small hash, the meta:
 *
 * - `epoch`, `adds`: the stamp of the last addition. A new epoch begins whenever it is in doubt whether this Redis still knows
 *   all that it was told; no two additions anywhere have the same stamp.
 * - `trail`: epochs since the filter was last found sound, each with how many stamps it gave out (`epoch:adds`), for Postgres to compare.
 * - `trusted`: whether a "no" counts. `pulse`: when a script last ran here; a pause may be one in which Redis was put back.
 * - `checked`, `asked`: when the filter was last found sound, and when somebody was last asked to find out.
 * - `serving`, `building`: generations, as `name blocks bitsPerBlock epoch capacity wanted`, or empty.
 * - `servingItems`, `buildingItems`, `servingAt`, `phase`, `cursor`, `old`: what a rebuild needs to know.
 *
 * A block has one bit beyond those that are hashed. It is set when the block is made and never again, so that a block that
 * was lost is told from one that is empty.
 *
 * Numbers are written with `%.0f`: Redis' Lua would write large ones with an exponent, and others write 1 as 1.0.
 *
 * @module
 */
import { BITS_OF_A_KEY } from "../../shared/bloom.ts";

/** Goes up when the meta, the hash or the layout of blocks change; a filter of another format lets everything through. */
const FORMAT = 1;
/** A longer pause between two scripts may hide that Redis was put back to an earlier state. */
export const PULSE_MS = 1000;
/** How often Postgres is compared with while there is no reason to doubt. */
export const CHECK_MS = 5000;
/** How often somebody is asked to compare, at most. */
const ASK_MS = 2000;
/** Nobody compares: the filter is given up, rather than let the trail grow. */
const MAX_TRAIL_CHARACTERS = 1000;
/** What nobody renews, by a rebuild a week, goes by itself: no block is left behind for good. */
export const FILTER_SECONDS = 15 * 24 * 60 * 60;

/** KEYS[1] is the meta, ARGV[1] what the names of blocks begin with, ARGV[2] and [3] the newest stamp that the caller has seen. */
const PRELUDE = `
local meta, prefix = KEYS[1], ARGV[1]
local seenEpoch, seenAdds = ARGV[2] * 1.0, ARGV[3] * 1.0
local time = redis.call('TIME')
local now = time[1] * 1000.0 + math.floor(time[2] / 1000)
local function text(n) return string.format('%.0f', n) end
local function set(...) redis.call('HSET', meta, ...) end
local function read()
  local raw = redis.call('HMGET', meta, 'format', 'epoch', 'adds', 'trail', 'trusted', 'pulse', 'checked', 'asked',
    'serving', 'building', 'phase', 'cursor', 'old')
  local function word(i) return type(raw[i]) == 'string' and raw[i] or '' end
  local function number(i) return (tonumber(word(i)) or 0) * 1.0 end
  return { whole = word(1) == '${FORMAT}' and word(2) ~= '', epoch = number(2), adds = number(3), trail = word(4),
    trusted = word(5) == '1', pulse = number(6), checked = number(7), asked = number(8), serving = word(9),
    building = word(10), phase = word(11), cursor = word(12), old = word(13) }
end
local function begunIn(generation) return string.match(generation, '^%S+ %d+ %d+ (%d+)') or '0' end
local function retired(old, generation)
  local name, blocks = string.match(generation, '^(%S+) (%d+)')
  return name and old .. name .. ' ' .. blocks .. ';' or old
end
local function shell(m, atLeast)
  m = { whole = true, epoch = math.max(m.epoch + 1, now, atLeast, seenEpoch + 1), adds = 0, trail = '', trusted = false,
    pulse = now, checked = 0, asked = 0, serving = '', building = '', phase = '', cursor = '',
    old = retired(retired(m.old, m.serving), m.building) }
  redis.call('DEL', meta)
  set('format', '${FORMAT}', 'epoch', text(m.epoch), 'adds', '0', 'pulse', text(now), 'old', m.old)
  redis.call('EXPIRE', meta, '${FILTER_SECONDS}')
  return m
end
local function turn(m, atLeast)
  if m.adds > 0 or m.trail == '' then m.trail = m.trail .. text(m.epoch) .. ':' .. text(m.adds) .. ' ' end
  if #m.trail > ${MAX_TRAIL_CHARACTERS} then return shell(m, atLeast) end
  m.epoch, m.adds = math.max(m.epoch + 1, now, atLeast), 0
  set('epoch', text(m.epoch), 'adds', '0', 'trail', m.trail)
  return m
end
local function feel(m)
  local isBehind = seenEpoch > m.epoch or (seenEpoch == m.epoch and seenAdds > m.adds)
  if isBehind or math.abs(now - m.pulse) > ${PULSE_MS} then
    m = turn(m, seenEpoch + 1)
    m.trusted, m.pulse, m.asked = false, now, math.min(m.asked, now)
    set('trusted', '0', 'pulse', text(now), 'asked', text(m.asked))
    return m, true
  end
  if now - m.pulse > ${PULSE_MS / 4} then set('pulse', text(now)) end
  return m, false
end
local function elect(m)
  if m.serving == '' or now - m.asked < ${ASK_MS} or (m.trusted and now - m.checked < ${CHECK_MS}) then return m, '' end
  set('asked', text(now))
  if m.trusted then m = turn(m, 0) end
  return m, m.trail
end
local function give_up(m, role)
  m.old = retired(m.old, m[role])
  m[role] = ''
  set(role, '', 'old', m.old)
end
local function block(generation, word)
  local name, blocks, bits = string.match(generation, '^(%S+) (%d+) (%d+)')
  local key = prefix .. name .. ':' .. text(word % blocks)
  if redis.call('GETBIT', key, bits) == 0 then return nil end
  return key, bits * 1.0
end
local function put(m, role, first)
  local word, start, step = ARGV[first] * 1.0, ARGV[first + 1] * 1.0, ARGV[first + 2] * 1.0
  local key, bits = block(m[role], word)
  if not key then return false end
  for i = 0, ${BITS_OF_A_KEY - 1} do redis.call('SETBIT', key, text((start + i * step) % bits), 1) end
  return true
end`;

/**
 * KEYS[2] is where the entry may be, ARGV[4] to [6] the words of the code. Answers the entry's text if it is there; else
 * `[absent | pass, epoch, adds, trail, begun]`, with a trail when the caller is to compare with Postgres.
 */
export const LOOK_UP = compact(`
local entry = redis.call('GET', KEYS[2])
if entry then return entry end
${PRELUDE}
local m = read()
if not m.whole then return { 'pass', '0', '0', '', '0' } end
m = feel(m)
local verdict, trail = 'pass', ''
if m.serving ~= '' then
  local key, bits = block(m.serving, ARGV[4] * 1.0)
  if not key then
    give_up(m, 'serving')
  else
    local start, step = ARGV[5] * 1.0, ARGV[6] * 1.0
    for i = 0, ${BITS_OF_A_KEY - 1} do
      if redis.call('GETBIT', key, text((start + i * step) % bits)) == 0 then
        verdict = 'absent'
        break
      end
    end
  end
end
if verdict == 'absent' then
  if not m.trusted then verdict = 'pass' end
  m, trail = elect(m)
end
return { verdict, text(m.epoch), text(m.adds), trail, begunIn(m.serving) }`);

/**
 * ARGV[4], and three more for each further code, are words. Sets their bits in both generations and answers
 * `[added, epoch, adds, trail, begun]`: the last of the stamps, which are as many as the codes.
 */
export const ADD = compact(`${PRELUDE}
local m = read()
if not m.whole then m = shell(m, 0) end
local added, trail = 0, ''
m = feel(m)
m, trail = elect(m)
for first = 4, #ARGV, 3 do
  for _, role in ipairs({ 'serving', 'building' }) do
    if m[role] ~= '' and not put(m, role, first) then give_up(m, role) end
  end
  added = added + 1
end
m.adds = m.adds + added
set('adds', text(m.adds))
if m.serving ~= '' then redis.call('HINCRBY', meta, 'servingItems', text(added)) end
if m.building ~= '' then redis.call('HINCRBY', meta, 'buildingItems', text(added)) end
return { 'added', text(m.epoch), text(m.adds), trail, begunIn(m.serving) }`);

/**
 * The filter was found sound in the epoch ARGV[4]. Trusts it, if nothing has put that in doubt since; with ARGV[5] the name of a
 * generation that is built, it serves from now on. Answers `[trusted, …]`, `[moved, …]` when somebody else has gone on, or
 * `[again, epoch, adds, trail, begun]` when the question must be asked anew.
 */
export const TRUST = compact(`${PRELUDE}
local m, paused = read(), false
if not m.whole or text(m.epoch) ~= ARGV[4] then return { 'moved', text(m.epoch), text(m.adds), '', '0' } end
local name = ARGV[5]
local isBuilt = name ~= '' and string.match(m.building, '^%S+') == name and m.phase == 'loaded'
if name ~= '' and not isBuilt then return { 'moved', text(m.epoch), text(m.adds), '', '0' } end
m, paused = feel(m)
local role = isBuilt and 'building' or 'serving'
if paused then return { 'again', text(m.epoch), text(m.adds), m.trail, begunIn(m[role]) } end
if isBuilt then
  local blocks = string.match(m.building, '^%S+ (%d+)') * 1.0
  for i = 0.0, blocks - 1 do
    if not block(m.building, i) then
      give_up(m, 'building')
      return { 'moved', text(m.epoch), text(m.adds), '', '0' }
    end
  end
  set('serving', m.building, 'servingAt', text(now), 'servingItems', redis.call('HGET', meta, 'buildingItems'),
    'building', '', 'old', retired(m.old, m.serving))
end
set('trusted', '1', 'trail', '', 'checked', text(now))
return { 'trusted', text(m.epoch), text(m.adds), '', '0' }`);

/** Redis has forgotten additions: gives both generations up, if the epoch is still ARGV[4] or that is empty. The next epoch is ARGV[5] at least. */
export const DROP = compact(`${PRELUDE}
local m = read()
if ARGV[4] ~= '' and text(m.epoch) ~= ARGV[4] then return { 'moved', text(m.epoch), text(m.adds), '', '0' } end
m = shell(m, ARGV[5] * 1.0)
return { 'dropped', text(m.epoch), text(m.adds), '', '0' }`);

/** Makes the blocks ARGV[5] to ARGV[6] of the generation ARGV[4], whose blocks have ARGV[7] bits. Nobody knows of it yet. */
export const MAKE_BLOCKS = compact(`
for i = ARGV[5] * 1.0, ARGV[6] * 1.0 do
  local key = ARGV[1] .. ARGV[4] .. ':' .. string.format('%.0f', i)
  redis.call('SETBIT', key, ARGV[7], 1)
  redis.call('EXPIRE', key, '${FILTER_SECONDS}')
end
return 'made'`);

/**
 * From now on additions go to the generation ARGV[4] too, if ARGV[6] is the name of the one that is being built now, or empty. ARGV[5] is the
 * rest of it: `blocks bits` and `capacity wanted`, with the epoch put between them. Answers `[begun | moved, epoch, …]`.
 */
export const BEGIN = compact(`${PRELUDE}
local m = read()
if not m.whole then m = shell(m, 0) end
m = feel(m)
if (string.match(m.building, '^%S+') or '') ~= ARGV[6] then return { 'moved', text(m.epoch), text(m.adds), '', '0' } end
if m.building ~= '' then give_up(m, 'building') end
m = turn(m, 0)
if m.serving == '' then set('trail', '') end
local size, aim = string.match(ARGV[5], '^(%d+ %d+) (%d+ %d+)$')
set('building', ARGV[4] .. ' ' .. size .. ' ' .. text(m.epoch) .. ' ' .. aim, 'buildingItems', '0', 'phase', 'announced', 'cursor', '0')
redis.call('EXPIRE', meta, '${FILTER_SECONDS}')
return { 'begun', text(m.epoch), text(m.adds), '', '0' }`);

/** Postgres takes no stamp any more from before the generation ARGV[4] was announced: what stands there may be read into it. */
export const OPEN = compact(`${PRELUDE}
local m = read()
if string.match(m.building, '^%S+') ~= ARGV[4] or m.phase ~= 'announced' then return 'moved' end
set('phase', 'loading')
return 'open'`);

/**
 * Adds the codes whose words begin at ARGV[8] to the generation ARGV[4] and moves its cursor from ARGV[5] to ARGV[6]. Each call
 * stands for itself, so a cursor never tells of more than the bits that came with it. ARGV[7] is `last` when no codes are left.
 */
export const LOAD = compact(`${PRELUDE}
local m = read()
if string.match(m.building, '^%S+') ~= ARGV[4] or m.phase ~= 'loading' or m.cursor ~= ARGV[5] then return 'moved' end
local loaded = 0
for first = 8, #ARGV, 3 do
  if not put(m, 'building', first) then
    give_up(m, 'building')
    return 'moved'
  end
  loaded = loaded + 1
end
redis.call('HINCRBY', meta, 'buildingItems', text(loaded))
set('cursor', ARGV[6], 'phase', ARGV[7] == 'last' and 'loaded' or 'loading')
return 'loaded'`);

/** Begins a new epoch before the generation ARGV[4] is switched to. Answers `[again, epoch, adds, trail, begun]`, or `[moved, …]`. */
export const CLAIM = compact(`${PRELUDE}
local m = read()
if string.match(m.building, '^%S+') ~= ARGV[4] or m.phase ~= 'loaded' then return { 'moved', text(m.epoch), text(m.adds), '', '0' } end
m = turn(feel(m), 0)
return { 'again', text(m.epoch), text(m.adds), m.trail, begunIn(m.building) }`);

/** What a rebuild must know, as `HMGET` answers it, but for the time in milliseconds, which comes first. */
export const STATE = compact(`${PRELUDE}
local m = read()
if not m.whole then return redis.call('HMGET', meta, 'none') end
set('now', text(now))
return redis.call('HMGET', meta, 'now', 'serving', 'servingItems', 'servingAt', 'building', 'buildingItems', 'phase',
  'cursor', 'old')`);

/** The generations ARGV[4] (as `old` names them) are deleted. */
export const FORGET = compact(`${PRELUDE}
local m = read()
local first, last = string.find(m.old, ARGV[4], 1, true)
if first then set('old', string.sub(m.old, 1, first - 1) .. string.sub(m.old, last + 1)) end
return 'forgotten'`);

/** Without indentation: a script travels with each command. */
function compact(script: string): string {
  return script.replace(/\n\s*/g, "\n").trim();
}
