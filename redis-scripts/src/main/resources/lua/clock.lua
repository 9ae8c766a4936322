-- The server's time, once per call, in whole microseconds (below 2^53 until the year 2255).
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
