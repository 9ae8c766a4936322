-- Experiment of `weir bench store`, not shipped, and not to be: a key per identity that never expires,
-- to see what expiry costs. One MGET and one MSET per call. KEYS: one per check.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local changed = {}
local function read() return redis.call('MGET', unpack(KEYS)) end
local function write(index, value)
  changed[#changed + 1] = KEYS[index]
  changed[#changed + 1] = value
end
local function finish()
  if #changed > 0 then redis.call('MSET', unpack(changed)) end
end
