-- GCRA, token bucket, leaky bucket (meter and queue): one stored time (TAT), when all is paid for.
-- Limit: a units per b microseconds, in lowest terms; c = capacity; d = longest wait of a queue in
-- microseconds, -1 if it is none, -1 - L if its units may be kept for up to L. Arithmetic in ticks of
-- 1/a microsecond, where a unit is b ticks: nothing is rounded per charge. 2 * c * b + a < 2^53, so
-- all is exact.
-- Value, 41 bytes (one allocation in Redis up to 44): 'P'; doubles: whole microseconds of the TAT, its
-- ticks beyond, a, b, the largest c that has written it. Cost: O(1).
-- Value of a limit that may be leased, 44 bytes: 'P'; the same in 7 bytes each; a counter of all units
-- ever charged, modulo 2^40, 5 bytes; until when kept units may be used ("held"), 3 bytes. A counter
-- starts at 256 per microsecond of the present, so one that started anew is ahead of all that were
-- before. Held is in steps of 64 microseconds, rounded up, modulo 2^24; 0 if it is over. No life is
-- longer than 2^18 steps, so what seems to be further ahead is over. If nothing was written since, it
-- may seem to be ahead again 18 minutes later, and then a refund gives back less.
-- What is common of all this is decided by short_way.lua, which has to stay in step.
local PACED = {}

function PACED.valid(limit)
  return exact(limit.a, limit.b, limit.c) and whole(limit.d, -1 - LONGEST_LIFE, MOST)
end

local HELD_STEP, HELD_STEPS, LONGEST_STEPS = 64, 16777216, 262144

local function unpack_held(steps)
  local ahead = (steps - floor_div(now, HELD_STEP)) % HELD_STEPS
  if steps == 0 or ahead > LONGEST_STEPS then return 0 end
  return now - now % HELD_STEP + ahead * HELD_STEP
end

local function pack_held(held)
  return held > now and math.max(ceil_div(held, HELD_STEP) % HELD_STEPS, 1) or 0
end

-- From now on the state counts what is granted.
local function begin_count(st, now)
  st.counter = st.counter or now * 256 % COUNTS
end

local function count(st, units)
  if st.counter then st.counter = (st.counter + units % COUNTS) % COUNTS end
end

function PACED.fresh(limit, now, old)
  local st = {debt = 0, a = limit.a, b = limit.b, c = limit.c, held = 0}
  if old and old.counter then begin_count(st, now) end
  return st
end

function PACED.load(value)
  local _, tat, ticks, a, b, c, counter
  local held = 0
  if #value == 41 then
    _, tat, ticks, a, b, c = struct.unpack('<Bddddd', value)
  elseif #value == 44 then
    _, tat, ticks, a, b, c, counter, held = struct.unpack('<BI7I7I7I7I7I5I3', value)
    held = unpack_held(held)
  else
    return nil
  end
  if not (exact(a, b, c) and whole(tat, 0, MOST) and whole(ticks, 0, a - 1)) then return nil end
  -- Not multiplied yet: a TAT from another clock may be any distance ahead.
  return {tat = tat, ticks = ticks, a = a, b = b, c = c, counter = counter, held = held}
end

function PACED.same(st, limit)
  return st.a == limit.a and st.b == limit.b
end

local function settle(st, now)
  if not st.tat then return end
  local ahead, most = st.tat - now, st.c * st.b
  if ahead < 0 then
    st.debt = 0
  elseif ahead > 2 * most / st.a + math.max(st.held - now, 0) then
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
  if limit.life > 0 then begin_count(st, now) end
end

function PACED.units(st, now)
  settle(st, now)
  return ceil_div(st.debt, st.b)
end

function PACED.available(st, limit, now)
  if limit.queue and ceil_div(st.debt, st.a) > limit.d then return 0 end
  return math.max(floor_div(limit.c * st.b - st.debt, st.b), 0)
end

-- Returns how many of the requests that fit may join a queue: the last one waits for those before it.
function PACED.join(st, limit, fitting, cost)
  local longest = limit.d * limit.a
  if longest >= limit.c * limit.b then return fitting end
  return math.min(fitting, floor_div(longest - st.debt, cost * limit.b) + 1)
end

function PACED.charge(st, limit, now, units)
  st.wait = limit.queue and ceil_div(st.debt, st.a) or 0
  st.debt = st.debt + units * st.b
  count(st, units)
end

function PACED.longest_life(st, limit) return limit.life end

-- Until the end of the life the bucket drains for others.
function PACED.lendable(st, limit, now, life)
  local most = limit.c * limit.b
  if life > most / limit.a then return 0 end
  return math.max(floor_div(most - math.max(st.debt, life * limit.a), limit.b), 0)
end

function PACED.keep(st, limit, now, units, life)
  begin_count(st, now)
  st.held = math.max(st.held, now + life)
  st.debt = math.max(st.debt, life * st.a)
  PACED.charge(st, limit, now, units)
end

-- The more of what surely has not drained, and of what surely is owed still.
-- The TAT is the latest, over all charges, of the last moment at which one's units may be used plus the
-- time of its units and of all that were charged after it. If that is one before this charge, all units
-- of this one come back. Else without this charge the TAT would be that of a later one:
-- Not drained: earlier by all units, less the time from the last moment of these to that of the other,
-- which is now or, of what is kept, until held at most.
-- Owed: as much after now, or after held, as was charged since.
function PACED.refund(st, limit, now, units, at, life, mark)
  if st.debt == 0 then return false end
  local owed, ahead, back = math.min(units, st.c) * st.b, math.max(st.held - now, 0), 0
  local age = math.max(math.max(now - at, 0) + ahead - life, 0)
  if age < ceil_div(owed, st.a) then back = owed - age * st.a end
  local others = st.debt - ahead * st.a
  if st.counter and mark >= 0 and others > 0 then
    local since = (st.counter - mark) % COUNTS
    if since < others / st.b then back = math.max(back, math.min(owed, others - since * st.b)) end
  end
  if back <= 0 then return false end
  st.debt = math.max(st.debt - back, 0)
  return true
end

-- Owes so many ticks. Above what a value of this capacity can tell from a clock that stepped back, the
-- capacity is that of the debt; above what can be counted, the rest is not owed.
local function owe_whole(st, debt)
  local most = floor_div(MOST - st.a, 2 * st.b)
  if debt > 2 * st.c * st.b then st.c = math.max(st.c, math.min(ceil_div(debt, 2 * st.b), most)) end
  st.debt = math.min(debt, 2 * st.c * st.b)
end

-- What was not held is owed up to twice the capacity.
function PACED.settle(st, c, units, held)
  owe_whole(st, math.min(st.debt + units * st.b, math.max(2 * c * st.b, st.debt + held * st.b)))
  count(st, units)
end

-- The TAT may be past: st.debt is what of it is still ahead.
function PACED.late(st, now, units, at)
  local owed = st.debt
  if owed == 0 then owed = st.past or st.tat and (st.tat - now) * st.a + st.ticks or (at - now) * st.a end
  st.past = math.max(owed, (at - now) * st.a) + units * st.b
  owe_whole(st, math.max(st.past, 0))
  count(st, units)
  return true
end

function PACED.span(st) return ceil_div(st.c * st.b, st.a) end

-- A queue is not made longer than whoever joins it may wait.
function PACED.owe(st, limit, now, units, at)
  local owed, age = math.min(units, limit.c) * limit.b, now - at
  if age >= ceil_div(owed, limit.a) then return false end
  local most = limit.c * limit.b
  if limit.queue then most = math.min(most, limit.d * limit.a + limit.b) end
  local debt = math.min(st.debt + owed - age * limit.a, most)
  if debt <= st.debt then return false end
  st.debt = debt
  count(st, units)
  return true
end

function PACED.reset_at(st, now) return now + ceil_div(st.debt, st.a) end

function PACED.drained(st, room, now)
  -- No debt is above twice the capacity it was made under, and another limit's room may be.
  return ceil_div(math.max(st.debt - math.min(room, 2 * st.c) * st.b, 0), st.a)
end

function PACED.save(st, now)
  local ticks = st.debt % st.a
  local tat = now + (st.debt - ticks) / st.a
  if st.counter then
    return struct.pack('<BI7I7I7I7I7I5I3', 80, tat, ticks, st.a, st.b, st.c, st.counter,
      pack_held(st.held))
  end
  return struct.pack('<Bddddd', 80, tat, ticks, st.a, st.b, st.c)
end
return PACED
