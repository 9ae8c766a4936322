-- GCRA, token bucket, leaky bucket (meter and queue): one stored time (TAT), when all is paid for.
-- Limit: a units per b microseconds, in lowest terms; c = capacity; d = longest wait of a queue in
-- microseconds, -1 if it is none. Arithmetic in ticks of 1/a microsecond, where a unit is b ticks:
-- nothing is rounded per charge. 2 * c * b + a < 2^53, so all is exact.
-- Value, 41 bytes (one allocation in Redis up to 44): 'P'; doubles: whole microseconds of the TAT, its
-- ticks beyond, a, b, the largest c that has written it. Cost: O(1).
-- The commonest check of it is decided by meter.lua, which has to stay in step.
local PACED = {}
KINDS[1], BY_TAG[80] = PACED, PACED

function PACED.valid(limit)
  return exact(limit.a, limit.b, limit.c) and whole(limit.d, -1, MOST)
end

function PACED.fresh(limit, now)
  return {debt = 0, a = limit.a, b = limit.b, c = limit.c}
end

function PACED.load(value)
  if #value ~= 41 then return nil end
  local _, tat, ticks, a, b, c = struct.unpack('<Bddddd', value)
  if not (exact(a, b, c) and whole(tat, 0, MOST) and whole(ticks, 0, a - 1)) then return nil end
  -- Not multiplied yet: a TAT from another clock may be any distance ahead.
  return {tat = tat, ticks = ticks, a = a, b = b, c = c}
end

function PACED.same(st, limit)
  return st.a == limit.a and st.b == limit.b
end

local function settle(st, now)
  if not st.tat then return end
  local ahead, most = st.tat - now, st.c * st.b
  if ahead < 0 then
    st.debt = 0
  elseif ahead > 2 * most / st.a then
    -- Further ahead than twice what could ever be owed: the server's clock has stepped back.
    st.debt, st.clamped = most, true
  else
    st.debt = ahead * st.a + st.ticks
  end
end

function PACED.arrive(st, limit, now)
  settle(st, now)
  -- A lower capacity does not make the debt less, so it is still seen where the old one holds.
  st.c = math.max(st.c, limit.c)
end

function PACED.units(st, now)
  settle(st, now)
  return ceil_div(st.debt, st.b)
end

function PACED.available(st, limit, now)
  if limit.queue and ceil_div(st.debt, st.a) > limit.d then return 0 end
  return math.max(floor_div(limit.c * st.b - st.debt, st.b), 0)
end

-- How many of the requests that fit may join a queue: the last one waits for those before it.
function PACED.join(st, limit, fitting, cost)
  local longest = limit.d * limit.a
  if longest >= limit.c * limit.b then return fitting end
  return math.min(fitting, floor_div(longest - st.debt, cost * limit.b) + 1)
end

function PACED.charge(st, limit, now, units)
  st.wait = limit.queue and ceil_div(st.debt, st.a) or 0
  st.debt = st.debt + units * st.b
end

-- What surely has not drained since: all units, less the time that has passed. Without the charge the
-- TAT would be earlier by no less, whatever was charged or given back meanwhile: the two differ by all
-- units at first, and come closer only while the one without has nothing to drain.
function PACED.refund(st, now, units, at)
  local owed, age = math.min(units, st.c) * st.b, math.max(now - at, 0)
  if st.debt == 0 or age >= ceil_div(owed, st.a) then return false end
  st.debt = math.max(st.debt - (owed - age * st.a), 0)
  return true
end

-- A queue is not made longer than whoever joins it may wait.
function PACED.owe(st, limit, now, units, at)
  local owed, age = math.min(units, limit.c) * limit.b, now - at
  if age >= ceil_div(owed, limit.a) then return false end
  local most = limit.c * limit.b
  if limit.queue then most = math.min(most, limit.d * limit.a + limit.b) end
  local debt = math.min(st.debt + owed - age * limit.a, most)
  if debt <= st.debt then return false end
  st.debt = debt
  return true
end

function PACED.reset_at(st, now) return now + ceil_div(st.debt, st.a) end

function PACED.drained(st, room, now)
  -- No debt is above twice the capacity it was made under, and another limit's room may be.
  return ceil_div(math.max(st.debt - math.min(room, 2 * st.c) * st.b, 0), st.a)
end

function PACED.save(st, now)
  local ticks = st.debt % st.a
  return struct.pack('<Bddddd', 80, now + (st.debt - ticks) / st.a, ticks, st.a, st.b, st.c)
end
