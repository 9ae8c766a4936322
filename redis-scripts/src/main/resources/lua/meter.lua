-- The common check by the shortest way: requests under one paced limit that is no queue and is not
-- leased (GCRA, token bucket, leaky bucket as a meter). It decides as paced.lua and decide.lua do, of
-- which it makes nothing; what is not common (nil below) is left to them. Cost: O(1), one SET per
-- check granted.
local METER = 59
local call, pack, unpack_struct = redis.call, struct.pack, struct.unpack
local now, values
-- What this call has written, by key: it may come more than once. False if it was deleted.
local written = {}

-- The check that these bytes are, nil if it is not such a one.
local function read_meter(bytes)
  local op, count, requests, charged_at, kind, a, b, c, d, cost = unpack_struct('<BBddBddddd', bytes)
  if op == 1 and count == 1 and kind == 1 and d == -1 and charged_at == 0 and exact(a, b, c)
      and whole(requests, 1, MOST) and whole(cost, 1, MOST) and requests * cost <= MOST then
    return {requests = requests, cost = cost, a = a, b = b, c = c, pace = pack('<ddd', a, b, c)}
  end
end

-- All checks of the argument, nil if any is not such a one. Equal bytes are read once.
local function read_meters(input)
  local count = #KEYS
  if not input or count < 1 or count > 1000 or #input ~= count * METER then return nil end
  if count == 1 then
    local meter = read_meter(input)
    return meter and {meter}
  end
  local meters, known = {}, {}
  for i = 1, count do
    local bytes = string.sub(input, (i - 1) * METER + 1, i * METER)
    local meter = known[bytes]
    if not meter then
      meter = read_meter(bytes)
      if not meter then return nil end
      known[bytes] = meter
    end
    meters[i] = meter
  end
  return meters
end

-- The answer; nil if the value is another limit's, not ours, or of a clock that was far ahead.
local function decide_meter(meter, index)
  local key, a, b, c, cost = KEYS[index], meter.a, meter.b, meter.c, meter.cost
  local most, debt = c * b, 0
  local value = written[key]
  if value == nil then value = values[index] end
  if value then
    -- The pace's bytes are ours, so they need no validation.
    if #value ~= 41 or string.sub(value, 18) ~= meter.pace then return nil end
    local tag, tat, ticks = unpack_struct('<Bdd', value)
    if tag ~= 80 or not (whole(tat, 0, MOST) and whole(ticks, 0, a - 1)) then return nil end
    local ahead = tat - now
    if ahead >= 0 then
      if ahead > 2 * most / a then return nil end
      debt = ahead * a + ticks
    end
  end
  local room = most - debt
  local free = room > 0 and (room - room % b) / b or 0
  local requests, granted = meter.requests, (free - free % cost) / cost
  if granted > requests then granted = requests end
  local paid_at
  if granted > 0 then
    debt = debt + granted * cost * b
    free = free - granted * cost
    local ticks = debt % a
    local tat = now + (debt - ticks) / a
    paid_at = ticks > 0 and tat + 1 or tat
    local changed = pack('<Bdd', 80, tat, ticks) .. meter.pace
    if value then
      call('SET', key, changed, 'PX', keep(paid_at - now))
    elseif not call('SET', key, changed, 'PX', keep(paid_at - now), 'NX') then
      -- There is a value of another type, which MGET does not tell from none.
      return pack('<BBdddddd', 4, 0, 0, 0, 0, now, 0, 0)
    end
    written[key] = changed
  elseif not value then
    return nil
  else
    paid_at = now + ceil_div(debt, a)
  end
  local retry = 0
  if granted < requests then
    retry = cost > c and -1 or ceil_div(math.max(debt - (c - cost) * b, 0), a)
  end
  return pack('<BBdddddd', granted > 0 and 1 or 0, 0, granted, free, c, paid_at, retry, 0)
end
