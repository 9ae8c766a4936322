-- Experiment of `weir bench store`, not shipped. A hash per partition, rule and generation; a field per
-- identity. A generation lasts as long as the rule remembers. Reads look into the current one, then
-- (what is not there) into the one before; writes go to the current one, which expires with the end of
-- the next: what is older than that has nothing left to say. So no key is without a TTL, and what is
-- idle vanishes with its generation.
-- KEYS: three hashes of one hash tag, taken in turn, so that a script knows them without the time. The
-- one whose turn comes has expired a generation ago.
-- ARGV[2] and on: one field per check.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local current, ends
local changed = {}

local function read(memory)
  local span = math.ceil(memory)
  local generation = (now - now % span) / span
  current = KEYS[generation % 3 + 1]
  ends = (generation + 2) * span
  local fields = {}
  for i = 2, #ARGV do fields[i - 1] = ARGV[i] end
  local values = redis.call('HMGET', current, unpack(fields))
  local missing, places = {}, {}
  for i = 1, #fields do
    if not values[i] then
      missing[#missing + 1] = fields[i]
      places[#places + 1] = i
    end
  end
  if #missing > 0 then
    local older = redis.call('HMGET', KEYS[(generation + 2) % 3 + 1], unpack(missing))
    for i = 1, #missing do values[places[i]] = older[i] end
  end
  return values
end

local function write(index, value)
  changed[#changed + 1] = ARGV[index + 1]
  changed[#changed + 1] = value
end

local function finish()
  if #changed == 0 then return end
  redis.call('HSET', current, unpack(changed))
  if redis.call('PTTL', current) < 0 then
    redis.call('PEXPIREAT', current, string.format('%.0f', math.ceil(ends / 1000)))
  end
end
