-- The server's time, once per call, in whole microseconds (below 2^53 until the year 2255).
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end
