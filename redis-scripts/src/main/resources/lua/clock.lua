-- The server's time, once per call, in whole microseconds (below 2^53 until the year 2255), and how
-- long a key is kept: until what it says is whole again, rounded up to milliseconds.
local function clock()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

local function keep(us)
  return string.format('%.0f', math.max(1, math.ceil(us / 1000)))
end
