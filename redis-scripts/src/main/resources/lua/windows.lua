-- Fixed window and sliding counter: counts of the stored window. A clock that has stepped back by up
-- to a window counts in the stored one ("late"); by more, the counts move to the window of now.
-- Limit: a = limit, b = window in microseconds, c = a start of a window modulo b (0 for the counter);
-- of the counter, a * b < 2^53.
-- Values, 33 bytes: 'F', b, c, start, count; 'S', b, start, count, count before. Cost: O(1).
local FIXED = {}
KINDS[2], BY_TAG[70] = FIXED, FIXED

local function start_of(now, b, phase) return now - (now - phase) % b end

function FIXED.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.b, 1, LONGEST) and whole(limit.c, 0, limit.b - 1)
end

function FIXED.fresh(limit, now)
  return {b = limit.b, c = limit.c, start = start_of(now, limit.b, limit.c), count = 0}
end

function FIXED.load(value)
  if #value ~= 33 then return nil end
  local _, b, c, start, count = struct.unpack('<Bdddd', value)
  if not (whole(b, 1, LONGEST) and whole(c, 0, b - 1) and whole(start, -b, MOST)
      and whole(count, 0, MOST)) then
    return nil
  end
  return {b = b, c = c, start = start, count = count}
end

function FIXED.same(st, limit) return st.b == limit.b and st.c == limit.c end

function FIXED.arrive(st, limit, now)
  local start = start_of(now, st.b, st.c)
  if st.start < start then
    st.start, st.count = start, 0
  elseif st.start > start + st.b then
    st.start, st.clamped = start, true
  end
end

function FIXED.units(st, now)
  FIXED.arrive(st, nil, now)
  return st.count
end

function FIXED.available(st, limit, now) return math.max(limit.a - st.count, 0) end
function FIXED.charge(st, limit, now, units) st.count = st.count + units end

function FIXED.refund(st, now, units, at)
  if st.count == 0 or start_of(at, st.b, st.c) ~= st.start then return false end
  st.count = math.max(st.count - units, 0)
  return true
end

function FIXED.owe(st, limit, now, units, at)
  local fitting = math.min(units, FIXED.available(st, limit))
  if fitting == 0 or start_of(at, st.b, st.c) ~= st.start then return false end
  st.count = st.count + fitting
  return true
end

function FIXED.reset_at(st, now) return st.count == 0 and now or st.start + st.b end
function FIXED.stored_until(st) return st.count > 0 and st.start + st.b end
function FIXED.drained(st, room, now) return st.count <= room and 0 or st.start + st.b - now end
function FIXED.save(st) return struct.pack('<Bdddd', 70, st.b, st.c, st.start, st.count) end

local COUNTER = {}
KINDS[3], BY_TAG[83] = COUNTER, COUNTER

function COUNTER.valid(limit)
  return whole(limit.b, 1, LONGEST) and whole(limit.a, 1, MOST / limit.b)
end

function COUNTER.fresh(limit, now)
  return {b = limit.b, start = start_of(now, limit.b, 0), count = 0, before = 0}
end

function COUNTER.load(value)
  if #value ~= 33 then return nil end
  local _, b, start, count, before = struct.unpack('<Bdddd', value)
  if not (whole(b, 1, LONGEST) and whole(start, 0, MOST) and whole(count, 0, MOST / b)
      and whole(before, 0, MOST / b)) then
    return nil
  end
  return {b = b, start = start, count = count, before = before}
end

function COUNTER.same(st, limit) return st.b == limit.b end

function COUNTER.arrive(st, limit, now)
  local start = start_of(now, st.b, 0)
  if st.start == start - st.b then
    st.start, st.before, st.count = start, st.count, 0
  elseif st.start < start then
    st.start, st.before, st.count = start, 0, 0
  elseif st.start > start + st.b then
    st.start, st.clamped = start, true
  end
  st.rest = st.start > now and st.b or st.start + st.b - now
end

local function counted(st) return st.count + ceil_div(st.before * st.rest, st.b) end

function COUNTER.units(st, now)
  COUNTER.arrive(st, nil, now)
  return counted(st)
end

function COUNTER.available(st, limit, now) return math.max(limit.a - counted(st), 0) end
function COUNTER.charge(st, limit, now, units) st.count = st.count + units end

function COUNTER.refund(st, now, units, at)
  local start = start_of(at, st.b, 0)
  local name = start == st.start and 'count' or start == st.start - st.b and 'before'
  if not name or st[name] == 0 then return false end
  st[name] = math.max(st[name] - units, 0)
  return true
end

function COUNTER.owe(st, limit, now, units, at)
  local start, name, room = start_of(at, st.b, 0), 'count', COUNTER.available(st, limit)
  if start == st.start - st.b then
    -- It weighs as much as the window before still does.
    name, room = 'before', floor_div(math.max(limit.a - st.count, 0) * st.b, st.rest) - st.before
    room = math.min(room, limit.a - st.before)
  elseif start ~= st.start then
    return false
  end
  if room <= 0 then return false end
  st[name] = st[name] + math.min(units, room)
  return true
end

function COUNTER.reset_at(st, now)
  if st.count > 0 then return st.start + 2 * st.b end
  return st.before > 0 and st.start + st.b or now
end

function COUNTER.stored_until(st)
  return (st.count > 0 or st.before > 0) and COUNTER.reset_at(st)
end

-- How long before the end of its weight a count weighs no more than room.
local function weightless(count, room, b)
  return count <= room and b or floor_div(room * b, count)
end

function COUNTER.drained(st, room, now)
  local at = st.start + st.b
  if st.count <= room then
    at = at - weightless(st.before, room - st.count, st.b)
  else
    at = at + st.b - weightless(st.count, room, st.b)
  end
  return math.max(at - now, 0)
end

function COUNTER.save(st) return struct.pack('<Bdddd', 83, st.b, st.start, st.count, st.before) end
