-- Purpose: counts the sidecars that share the store, and the sets of rules that they have, and keeps the
-- caller and its rules among them.
-- KEYS[1]: a sorted set of the sidecars' ids, scored with when each is forgotten (server's time, ms).
-- KEYS[2]: the same of digests of their rules.
-- ARGV[1]: the caller's id. ARGV[2]: for how many milliseconds it counts; 0 takes it out.
-- ARGV[3]: the digest of its rules; empty if none of them asks the store.
-- Reply: how many sidecars there are now, the caller included unless it left; how many digests; how
-- many of the sidecars have an id before the caller's, -1 if the user may not ask (ZRANGE).
-- Cost: one TIME, seven to nine commands on sets of as many members as there are sidecars.
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
return {sidecars, digests, before}
