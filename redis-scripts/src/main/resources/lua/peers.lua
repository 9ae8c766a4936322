-- Purpose: counts the sidecars that share the store, and keeps the caller among them.
-- KEYS[1]: a sorted set of the sidecars' ids, scored with when each is forgotten (server's time, ms).
-- ARGV[1]: the caller's id. ARGV[2]: for how many milliseconds it counts; 0 takes it out.
-- Reply: how many there are now, the caller included unless it left.
-- Cost: one TIME, three or four commands on a set of as many members as there are sidecars.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local id, kept = ARGV[1], tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if kept > 0 then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + kept), id)
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', kept))
else
  redis.call('ZREM', KEYS[1], id)
end
return redis.call('ZCARD', KEYS[1])
