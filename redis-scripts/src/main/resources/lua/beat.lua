-- Purpose: counts the sidecars that share the store, and the sets of rules that they have, and keeps the
-- caller and its rules among them. Tells the caller what has changed of the records that it follows.
-- KEYS[1]: a sorted set of the sidecars' ids, scored with when each is forgotten (server's time, ms).
-- KEYS[2]: the same of digests of their rules.
-- KEYS[3]: the ids in their order: a sorted set of equal scores, for a minute. It is made of KEYS[1] where it does not
-- have as many: then it has expired, or a sidecar of an earlier version, which does not know it, has come or gone.
-- ARGV[1]: the caller's id. ARGV[2]: for how many milliseconds it counts; 0 takes it out.
-- ARGV[3]: the digest of its rules; empty if none of them asks the store.
-- ARGV[4]: how many had an id before the caller's when it asked last: where its id is looked for first.
-- Reply: how many sidecars there are now, the caller included unless it left; how many digests; how
-- many of the sidecars have an id before the caller's, -1 if the user may not ask (ZRANGE).
-- Cost: one TIME, ten commands on sets of as many members as there are sidecars, none of which reads them all; a
-- read for each halving of their number if the caller's place has changed. Once a minute all are read and written.
-- Who follows no records gives no more. Else:
-- KEYS[4], KEYS[5]: the service's policy, and the stream of its changes, as write.lua has them.
-- KEYS[6]: a sorted set of the versions in use, 'ID VERSION', scored with when each was noted (ms).
-- KEYS[7], KEYS[8]: the directory of users, and the stream of its changes.
-- ARGV[5]: the version of the policy that the caller knows; empty for none. ARGV[6]: that of the directory.
-- ARGV[7]: the version in use that the caller noted last, as in KEYS[6]. ARGV[8]: the one to note; each empty for none.
-- Further reply: of the policy, then of the directory, a list: its version, 0 if the caller knows it, -1 if all of it
-- may have changed, 1 if these have: each one's name and the version in which it did; then how many users there are.
-- Further cost: two reads; what has changed, if anything; one to three commands when a version is noted.
local ORDER_MS, MOST_ADDED = 60000, 1000
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local kept = tonumber(ARGV[2])
local function ms(number) return string.format('%.0f', number) end
local forgotten, until_ms = ms(now), ms(now + kept)
-- Returns how many there are, and whether the member is new.
local function count(key, member)
  local added = 0
  if kept > 0 and member ~= '' then
    added = redis.call('ZADD', key, until_ms, member)
    redis.call('PEXPIRE', key, ARGV[2])
  end
  return redis.call('ZCARD', key), added == 1
end
local gone = redis.pcall('ZRANGE', KEYS[1], '-inf', forgotten, 'BYSCORE')
if gone.err or #gone > 0 then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', forgotten) end
for _, id in ipairs(gone) do redis.call('ZREM', KEYS[3], id) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', forgotten)
if kept == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
end
local sidecars, is_new = count(KEYS[1], ARGV[1])
local digests = count(KEYS[2], ARGV[3])
local function put_in_order(ids)
  redis.call('DEL', KEYS[3])
  for from = 1, #ids, MOST_ADDED do
    local call = {'ZADD', KEYS[3]}
    for i = from, math.min(#ids, from + MOST_ADDED - 1) do
      call[#call + 1] = 0
      call[#call + 1] = ids[i]
    end
    redis.call(unpack(call))
  end
  redis.call('PEXPIRE', KEYS[3], ORDER_MS)
end
local function before(id, place)
  local ordered = redis.call('ZCARD', KEYS[3])
  if is_new and ordered > 0 then ordered = ordered + redis.call('ZADD', KEYS[3], 0, id) end
  if ordered ~= sidecars then
    local ids = redis.pcall('ZRANGE', KEYS[1], 0, -1)
    if ids.err then return -1 end
    put_in_order(ids)
  end
  local from, to = 0, sidecars
  while from < to do
    if place < from or place >= to then place = math.floor((from + to) / 2) end
    local found = redis.pcall('ZRANGE', KEYS[3], place, place)
    if found.err then return -1 end
    if found[1] == id then return place end
    if found[1] < id then from = place + 1 else to = place end
  end
  return from
end
local rank = before(ARGV[1], tonumber(ARGV[4]))
if not KEYS[4] then
  return {sidecars, digests, rank}
end
local NOTED_MS, MOST_CHANGES = 120000, 100
if ARGV[7] ~= '' and ARGV[7] ~= ARGV[8] then redis.call('ZREM', KEYS[6], ARGV[7]) end
if ARGV[8] ~= '' then
  redis.call('ZADD', KEYS[6], ms(now), ARGV[8])
  redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', ms(now - NOTED_MS))
  redis.call('PEXPIRE', KEYS[6], NOTED_MS)
end
local function changes(head, stream, known)
  if head == known then return {head, 0} end
  local all = {head, -1}
  local from, from_tag = string.match(known, '^(%d+)-(%x+)$')
  local to, to_tag = string.match(head, '^(%d+)-(%x+)$')
  local steps = from and to and to - from or 0
  if steps < 1 or steps > MOST_CHANGES then return all end
  local log = redis.call('XRANGE', stream, from .. '-0', to .. '-0')
  -- Without a gap, and with the tags of both: else one of them is a version that a failover has lost.
  if #log ~= steps + 1 or log[1][2][2] ~= from_tag or log[#log][2][2] ~= to_tag then return all end
  local found, reply = {}, {head, 1}
  for i = #log, 2, -1 do
    local entry = log[i][2]
    if #entry < 4 then return all end
    local version = string.match(log[i][1], '^%d+') .. '-' .. entry[2]
    for j = 4, #entry, 2 do
      if not found[entry[j]] then
        found[entry[j]] = true
        reply[#reply + 1] = entry[j]
        reply[#reply + 1] = version
      end
    end
  end
  if #reply > 2 + 2 * MOST_CHANGES then return all end
  return reply
end
local policy = redis.call('HGET', KEYS[4], 'head') or ''
local directory = redis.call('HMGET', KEYS[7], 'head', 'count')
return {
  sidecars, digests, rank,
  changes(policy, KEYS[5], ARGV[5]), changes(directory[1] or '', KEYS[8], ARGV[6]), tonumber(directory[2] or '0')
}
