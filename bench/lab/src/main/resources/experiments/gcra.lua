-- Experiment of `weir bench store`, not shipped. GCRA alone, in batches, over one of three ways to
-- store it (storage-*.lua, which comes before this file and gives `read`, `write` and `finish`), so
-- that the three differ in their commands and in nothing else.
-- ARGV[1] and reply: those of the shipped check.lua, one paced limit per check, as a meter, cost 1 or
-- more. Each identity at most once per call, as a client that coalesces sends it; twice is charged
-- once, and costs the same. Values: 33 bytes, without the capacity that the shipped script stores.
local input, at, index = ARGV[1], 1, 0
local values
local replies = {struct.pack('<d', now)}
while at <= #input do
  local _, requests, cost, kind, a, b, c
  _, _, requests, _, kind, a, b, c, _, cost, at = struct.unpack('<BBddBddddd', input, at)
  -- How long a budget remembers: the longest time until it is whole.
  values = values or read(c * b / a)
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
    write(index, struct.pack('<Bdddd', 80, now + (debt - left) / a, left, a, b), ms)
  end
  local retry = 0
  if granted < requests then
    retry = cost > c and -1 or math.ceil(math.max(debt + (cost - c) * b, 0) / a)
  end
  replies[index + 1] = struct.pack('<BBdddddd', granted > 0 and 1 or 0, 0, granted,
    free - granted * cost, c, now + math.ceil(debt / a), retry, 0)
end
finish()
return table.concat(replies)
