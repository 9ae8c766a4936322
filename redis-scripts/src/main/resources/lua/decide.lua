-- Does a check, peek, refund, debt or reset; a lease is in lease.lua; a hold, and a peek of limits that
-- hold, are in hold.lua. Each returns its answer, 50 bytes, see check.lua.
-- All states are read and all limits asked before the first is charged.
local function retry_after(limit, st)
  local room = limit.capacity - limit.cost
  if room < 0 then return math.huge end
  local longest = limit.queue and limit.d * limit.a
  if st.of then
    -- It is the state under the old limit that has to drain.
    if longest and longest < limit.c * limit.b then
      room = math.min(room, floor_div(longest, limit.b))
    end
    return st.of.drained(st.old, room, now)
  end
  local wait = limit.kind.drained(st, room, now)
  return longest and math.max(wait, ceil_div(st.debt, st.a) - limit.d) or wait
end

local function answer(status, index, granted, remaining, capacity, at, retry, wait)
  return struct.pack('<BBdddddd', status, index, granted, remaining, capacity, at, retry, wait)
end

-- Returns how many of its requests all limits of the check admit, with the states and free units of each;
-- or nil, and the key that has a value which is not Weir's.
local function admitted(check)
  local granted, states, free = check.requests, {}, {}
  for i = 1, check.count do
    local limit = check[i]
    local st = state(check, i)
    if not st then return nil, i end
    states[i], free[i] = st, limit.kind.available(st, limit, now)
    local fitting = floor_div(free[i], limit.cost)
    if limit.queue and fitting > 1 then fitting = limit.kind.join(st, limit, fitting, limit.cost) end
    granted = math.min(granted, fitting)
  end
  return granted, states, free
end

-- The answer, once what was granted is charged.
local function told(check, status, granted, states, free, wait, held)
  local count, requests = check.count, check.requests
  local chosen, longest, least = 1, -2, math.huge
  for i = 1, count do
    local limit = check[i]
    if granted < requests and free[i] < limit.cost then
      local retry = retry_after(limit, states[i])
      if retry > longest then chosen, longest = i, retry end
    elseif longest == -2 and free[i] / limit.capacity < least then
      chosen, least = i, free[i] / limit.capacity
    end
  end
  local limit = check[chosen]
  local retry = longest == math.huge and -1 or math.max(longest, 0)
  return answer(status, chosen - 1, granted, free[chosen], limit.capacity,
    reset_at(limit.kind, states[chosen]), retry, held and held[chosen] or wait)
end

local function decide(check)
  local granted, states, free = admitted(check)
  if not granted then return answer(4, states - 1, 0, 0, 0, now, 0, 0) end
  local charges, wait = check.op ~= 2, 0
  for i = 1, check.count do
    local limit, st = check[i], states[i]
    local kind = limit.kind
    if charges and granted > 0 then
      kind.charge(st, limit, now, granted * limit.cost)
      st.of = nil
      wait = math.max(wait, st.wait or 0)
      store(check.first + i, kind, st)
      free[i] = kind.available(st, limit, now)
    elseif charges and st.clamped then
      store(check.first + i, st.of or kind, st.of and st.old or st)
    end
  end
  return told(check, granted > 0 and 1 or 0, granted, states, free, wait), granted > 0
end

-- A refund or a debt: what happened before is made good, of each limit by itself.
local function correct(check)
  local status, states = 3, {}
  for i = 1, check.count do
    states[i] = state(check, i)
    if not states[i] then return answer(4, i - 1, 0, 0, 0, now, 0, 0) end
  end
  for i = 1, check.count do
    local limit, st, at, changed = check[i], states[i], check.charged_at, false
    local units = check.requests * limit.cost
    if check.op == 6 then
      changed = limit.kind.owe(st, limit, now, units, math.min(at, now))
      -- A debt may be of a limit that has been replaced since: what the present one has counted gives
      -- way only to what lasts as long.
      if st.of and limit.kind.reset_at(st, now) < st.of.reset_at(st.old, now) then changed = false end
    elseif not limit.queue and not st.of then
      -- A queue takes nothing back, as others have been told slots behind; nor does another limit's
      -- state, where nobody can tell what of the charge is left.
      changed = limit.kind.refund(st, limit, now, units, at, check.life, check.marks[i])
    end
    if changed then
      st.of = nil
      store(check.first + i, limit.kind, st)
      status = 2
    end
  end
  local limit, st = check[1], states[1]
  return answer(status, 0, 0, limit.kind.available(st, limit, now), limit.capacity,
    reset_at(limit.kind, st), 0, 0)
end

local function reset(check)
  local status = 3
  for i = 1, check.count do
    local value = value_of(check.first + i)
    if value == nil or value and not BY_TAG[string.byte(value)] then
      return answer(4, i - 1, 0, 0, 0, now, 0, 0)
    end
  end
  for i = 1, check.count do
    local key = KEYS[check.first + i]
    if value_of(check.first + i) then
      redis.call('DEL', key)
      status = 2
    end
    written[key] = false
  end
  return answer(status, 0, 0, 0, 0, now, 0, 0)
end
