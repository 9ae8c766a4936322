-- Purpose: counts the sidecars that share the store, and the sets of rules that they have, and keeps the
-- caller and its rules among them. Tells the caller what has changed of the records that it follows.
-- KEYS[1]: a sorted set of the sidecars' ids, scored with when each is forgotten (server's time, ms).
-- KEYS[2]: the same of digests of their rules.
-- ARGV[1]: the caller's id. ARGV[2]: for how many milliseconds it counts; 0 takes it out.
-- ARGV[3]: the digest of its rules; empty if none of them asks the store.
-- Reply: how many sidecars there are now, the caller included unless it left; how many digests; how
-- many of the sidecars have an id before the caller's, -1 if the user may not ask (ZRANGE).
-- Cost: one TIME, seven to nine commands on sets of as many members as there are sidecars.
-- Who follows no records gives no more. Else:
-- KEYS[3], KEYS[4]: the service's policy, and the stream of its changes, as write.lua has them.
-- KEYS[5]: a sorted set of the versions in use, 'ID VERSION', scored with when each was noted (ms).
-- KEYS[6], KEYS[7]: the directory of users, and the stream of its changes.
-- ARGV[4]: the version of the policy that the caller knows; empty for none. ARGV[5]: that of the directory.
-- ARGV[6]: the version in use that the caller noted last, as in KEYS[5]. ARGV[7]: the one to note; each empty for none.
-- Further reply: of the policy, then of the directory, a list: its version, 0 if the caller knows it, -1 if all of it
-- may have changed, 1 if these have: each one's name and the version in which it did; then how many users there are.
-- Further cost: three reads; what has changed, if anything; one to three commands when a version is noted.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local kept = tonumber(ARGV[2])
local function count(key, member)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
  if kept > 0 and member ~= '' then
    redis.call('ZADD', key, string.format('%.0f', now + kept), member)
    redis.call('PEXPIRE', key, string.format('%.0f', kept))
  end
  return redis.call('ZCARD', key)
end
if kept == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
end
local sidecars, digests, before = count(KEYS[1], ARGV[1]), count(KEYS[2], ARGV[3]), 0
local ids = redis.pcall('ZRANGE', KEYS[1], 0, -1)
if ids.err then before = -1 end
for _, id in ipairs(ids) do
  if id < ARGV[1] then before = before + 1 end
end
if not KEYS[3] then
  return {sidecars, digests, before}
end
local NOTED_MS, MOST_CHANGES = 120000, 100
if ARGV[6] ~= '' and ARGV[6] ~= ARGV[7] then redis.call('ZREM', KEYS[5], ARGV[6]) end
if ARGV[7] ~= '' then
  redis.call('ZADD', KEYS[5], string.format('%.0f', now), ARGV[7])
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', now - NOTED_MS))
  redis.call('PEXPIRE', KEYS[5], NOTED_MS)
end
local function changes(hash, stream, known)
  local head = redis.call('HGET', hash, 'head') or ''
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
return {
  sidecars, digests, before,
  changes(KEYS[3], KEYS[4], ARGV[4]), changes(KEYS[6], KEYS[7], ARGV[5]),
  tonumber(redis.call('HGET', KEYS[6], 'count') or '0')
}
