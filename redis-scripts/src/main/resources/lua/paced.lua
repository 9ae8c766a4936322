-- GCRA, token bucket, leaky bucket (meter and queue): one stored time (TAT), when all is paid for.
-- Limit: a = units per b microseconds, in lowest terms; c = capacity; d = longest wait of a queue in
-- microseconds, -1 if it is none. Arithmetic in ticks of 1/a microsecond, where a unit is b ticks:
-- nothing is rounded per charge. 2 * c * b + a < 2^53 (the encoder sees to it), so all is exact.
-- Value, 33 bytes: 'P', whole microseconds of the TAT, its ticks beyond, a, b. Cost: O(1).
local KINDS = {}

local function ceil_div(n, by)
  local rest = n % by
  return rest == 0 and n / by or (n - rest) / by + 1
end

local function whole(n, most)
  return n >= 0 and n <= most and n % 1 == 0
end

local MOST = 9007199254740991

local PACED = {tag = 80}
KINDS[1] = PACED

function PACED.fresh(limit, now)
  return {debt = 0, a = limit[1], b = limit[2]}
end

function PACED.load(value, now)
  if #value ~= 33 then return nil end
  local _, tat, ticks, a, b = struct.unpack('<Bdddd', value)
  if not (whole(tat, MOST) and whole(a, MOST) and a >= 1 and whole(b, MOST) and b >= 1
      and whole(ticks, a - 1)) then
    return nil
  end
  -- Not multiplied yet: a TAT from another clock may be any distance ahead.
  return {tat = tat, ticks = ticks, a = a, b = b}
end

local function settle(st, now, most)
  if st.tat then
    local ahead = st.tat - now
    if ahead < 0 then
      st.debt = 0
    elseif ahead > 2 * most / st.a then
      -- Further ahead than twice what the rule can owe: the server's clock has stepped back.
      st.debt = most
      st.clamped = true
    else
      st.debt = ahead * st.a + st.ticks
    end
  end
end

function PACED.same(st, limit)
  return st.a == limit[1] and st.b == limit[2]
end

function PACED.arrive(st, limit, now)
  settle(st, now, limit[3] * limit[2])
end

-- Units that count under the limit that the value was written for; that limit's capacity is not known.
function PACED.units(st, now)
  settle(st, now, (MOST - st.a) / 4)
  return ceil_div(st.debt, st.b)
end

function PACED.capacity(limit) return limit[3] end

function PACED.available(st, limit, now)
  if limit[4] >= 0 and ceil_div(st.debt, st.a) > limit[4] then return 0 end
  local room = limit[3] * st.b - st.debt
  return room <= 0 and 0 or (room - room % st.b) / st.b
end

function PACED.charge(st, limit, now, units)
  st.wait = limit[4] >= 0 and ceil_div(st.debt, st.a) or 0
  st.debt = st.debt + units * st.b
end

function PACED.reset_at(st, limit, now) return now + ceil_div(st.debt, st.a) end

function PACED.retry(st, limit, now, cost)
  local wait = ceil_div(math.max(st.debt + (cost - limit[3]) * st.b, 0), st.a)
  if limit[4] >= 0 then wait = math.max(wait, ceil_div(st.debt, st.a) - limit[4]) end
  return wait
end

function PACED.refund(st, limit, now, units, at)
  local debt = math.max(st.debt - math.min(units, limit[3]) * st.b, 0)
  if debt == st.debt then return false end
  st.debt = debt
  return true
end

function PACED.save(st, limit, now)
  local ticks = st.debt % st.a
  return struct.pack('<Bdddd', 80, now + (st.debt - ticks) / st.a, ticks, st.a, st.b)
end
