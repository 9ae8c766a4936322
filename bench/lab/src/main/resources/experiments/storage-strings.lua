-- Experiment of `weir bench store`, not shipped. A key per identity that expires by itself: one MGET
-- per call, one SET PX per key charged, as the shipped script does it. KEYS: one per check.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local function read() return redis.call('MGET', unpack(KEYS)) end
local function write(index, value, ms)
  redis.call('SET', KEYS[index], value, 'PX', string.format('%.0f', ms))
end
local function finish() end
