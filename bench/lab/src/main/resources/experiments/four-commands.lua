-- Experiment of `weir bench store`, not shipped. The four commands of the usual sliding log, as one
-- call. KEYS[1]: a sorted set. ARGV: the window in microseconds and in seconds, a member of its own.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[1]))
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
