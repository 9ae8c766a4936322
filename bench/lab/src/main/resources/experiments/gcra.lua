-- A peer of `weir bench store` and `weir bench compare`, not shipped: GCRA and nothing else, in batches. A
-- key per identity that expires by itself: one MGET per call, one SET PX per key charged, as the shipped
-- script does it. KEYS: one per check.
-- ARGV[1] and reply: those of the shipped check.lua, one paced limit per check, as a meter, cost 1 or
-- more. Each identity at most once per call, as a client that coalesces sends it; twice is charged
-- once, and costs the same. Values: 33 bytes, without the capacity that the shipped script stores.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local input, at, index = ARGV[1], 1, 0
local values = redis.call('MGET', unpack(KEYS))
local replies = {struct.pack('<d', now)}
while at <= #input do
  local _, requests, cost, kind, a, b, c
  _, _, requests, _, kind, a, b, c, _, cost, at = struct.unpack('<BBddBddddd', input, at)
  index = index + 1
  local debt = 0
  local value = values[index]
  if value then
    local _, tat, ticks = struct.unpack('<Bdd', value)
    if tat > now then debt = math.min((tat - now) * a + ticks, c * b) end
  end
  local room = c * b - debt
  local free = (room - room % b) / b
  local granted = math.min(requests, (free - free % cost) / cost)
  if granted > 0 then
    debt = debt + granted * cost * b
    local left = debt % a
    local ms = math.ceil((debt - left) / a / 1000) + 1
    redis.call('SET', KEYS[index], struct.pack('<Bdddd', 80, now + (debt - left) / a, left, a, b),
      'PX', string.format('%.0f', ms))
  end
  local retry = 0
  if granted < requests then
    retry = cost > c and -1 or math.ceil(math.max(debt + (cost - c) * b, 0) / a)
  end
  replies[index + 1] = struct.pack('<BBdddddd', granted > 0 and 1 or 0, 0, granted,
    free - granted * cost, c, now + math.ceil(debt / a), retry, 0)
end
return table.concat(replies)
