-- Purpose: decides a whole batch of checks in one call, each atomic, in the order they are given.
-- KEYS: one per limit, check after check; at most 1,000, all of one hash tag.
-- ARGV[1], little-endian, times in microseconds, for each check:
--   op: byte, 1 check, 2 peek, 3 reset, 4 refund     limits: byte, 1 to 8 (reset: keys)
--   requests, cost: doubles; so many requests of that cost each, granted first come, first served,
--     by all limits together or not at all
--   charged at: double; when the charge to be refunded was made (the first field of its reply), else 0
--   for each limit, but not of a reset: kind: byte, 1 paced, 2 fixed window, 3 sliding counter, 4 sliding log,
--     5 bucket ring; a, b, c, d: doubles, see the kind
-- Reply: one string, little-endian: now: double; then for each check, 50 bytes:
--   status: byte, 0 refused, 1 granted in part or whole, 2 done, 3 nothing to do, 4 foreign value
--   limit: byte; which limit the figures are about, from 0: the one with the longest wait if it was
--     refused, else the one with the smallest share left
--   granted: requests; remaining, capacity: units; reset at: time; retry after: 0 if all was granted,
--     -1 if never; wait: of a queue. All doubles.
-- Cost: one TIME and one MGET per call; one SET PX per key charged; nothing is written on a refusal,
-- unless a stored time has to be clamped because the server's clock has stepped back.
local now = clock()
local input, at = ARGV[1], 1
local values = redis.call('MGET', unpack(KEYS))
local written = {}
local BY_TAG = {[80] = PACED, [70] = FIXED, [83] = COUNTER, [76] = LOG, [82] = RING}

-- The state of a key under a limit, as of now; nil if its value is not ours.
local function state(index, kind, limit)
  local key = KEYS[index]
  local value = written[key]
  if value == nil then value = values[index] end
  if not value then
    -- MGET shows nothing of a value of another type; nobody may overwrite it.
    if value == false and written[key] == nil and redis.call('EXISTS', key) == 1 then return nil end
    local st = kind.fresh(limit, now)
    kind.arrive(st, limit, now)
    return st
  end
  local of = BY_TAG[string.byte(value)]
  local st = of and of.load(value, now)
  if not st then return nil end
  if of == kind and kind.same(st, limit) then
    kind.arrive(st, limit, now)
    return st
  end
  -- Another limit wrote it: what has been consumed stays consumed, as far as the new one can hold.
  local units = math.min(of.units(st, now), kind.capacity(limit))
  st = kind.fresh(limit, now)
  kind.arrive(st, limit, now)
  if units > 0 then kind.charge(st, limit, now, units) end
  return st
end

local function store(index, kind, limit, st)
  local key = KEYS[index]
  local whole_at = kind.reset_at(st, limit, now)
  local value = kind.save(st, limit, now)
  redis.call('SET', key, value, 'PX', keep(whole_at - now))
  written[key] = value
end

local function answer(status, index, granted, remaining, capacity, reset_at, retry, wait)
  return struct.pack('<BBdddddd', status, index, granted, remaining, capacity, reset_at, retry, wait)
end

local function decide(op, first, kinds, limits, requests, cost)
  local count, granted, states, free = #kinds, requests, {}, {}
  for i = 1, count do
    local st = state(first + i, kinds[i], limits[i])
    if not st then return answer(4, i - 1, 0, 0, 0, now, 0, 0) end
    states[i], free[i] = st, kinds[i].available(st, limits[i], now)
    granted = math.min(granted, (free[i] - free[i] % cost) / cost)
  end
  local wait = 0
  for i = 1, count do
    local st = states[i]
    if op == 1 and granted > 0 then
      kinds[i].charge(st, limits[i], now, granted * cost)
      wait = math.max(wait, st.wait or 0)
      store(first + i, kinds[i], limits[i], st)
      free[i] = kinds[i].available(st, limits[i], now)
    elseif op == 1 and st.clamped then
      store(first + i, kinds[i], limits[i], st)
    end
  end
  local chosen, longest, least = 1, -2, math.huge
  for i = 1, count do
    local capacity = kinds[i].capacity(limits[i])
    if granted < requests and free[i] < cost then
      local retry = cost > capacity and math.huge or kinds[i].retry(states[i], limits[i], now, cost)
      if retry > longest then chosen, longest = i, retry end
    elseif longest == -2 and free[i] / capacity < least then
      chosen, least = i, free[i] / capacity
    end
  end
  local kind, limit, st = kinds[chosen], limits[chosen], states[chosen]
  local retry = longest == math.huge and -1 or math.max(longest, 0)
  return answer(granted > 0 and 1 or 0, chosen - 1, granted, free[chosen], kind.capacity(limit),
    kind.reset_at(st, limit, now), retry, wait)
end

local function refund(first, kinds, limits, units, charged_at)
  local status = 3
  local states = {}
  for i = 1, #kinds do
    states[i] = state(first + i, kinds[i], limits[i])
    if not states[i] then return answer(4, i - 1, 0, 0, 0, now, 0, 0) end
  end
  for i = 1, #kinds do
    if kinds[i].refund(states[i], limits[i], now, units, charged_at) then
      store(first + i, kinds[i], limits[i], states[i])
      status = 2
    end
  end
  return answer(status, 0, 0, kinds[1].available(states[1], limits[1], now),
    kinds[1].capacity(limits[1]), kinds[1].reset_at(states[1], limits[1], now), 0, 0)
end

local function reset(first, count)
  local status = 3
  for i = 1, count do
    if redis.call('DEL', KEYS[first + i]) == 1 then status = 2 end
    written[KEYS[first + i]] = false
  end
  return answer(status, 0, 0, 0, 0, now, 0, 0)
end

local replies, first = {struct.pack('<d', now)}, 0
while at <= #input do
  local op, count, requests, cost, charged_at
  op, count, requests, cost, charged_at, at = struct.unpack('<BBddd', input, at)
  local kinds, limits = {}, {}
  for i = 1, op == 3 and 0 or count do
    local kind, a, b, c, d
    kind, a, b, c, d, at = struct.unpack('<Bdddd', input, at)
    kinds[i], limits[i] = KINDS[kind], {a, b, c, d}
  end
  if op == 3 then
    replies[#replies + 1] = reset(first, count)
  elseif op == 4 then
    replies[#replies + 1] = refund(first, kinds, limits, requests * cost, charged_at)
  else
    replies[#replies + 1] = decide(op, first, kinds, limits, requests, cost)
  end
  first = first + count
end
return table.concat(replies)
