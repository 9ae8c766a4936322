-- Fixed window and sliding counter: counts of the stored window. A clock that has stepped back by up
-- to a window counts in the stored one ("late"); by more, the counts move to the window of now.
-- Limit: a = limit, b = window in microseconds, c = a start of a window modulo b (0 for the counter);
-- of the counter, a * b < 2^53. Values, 33 bytes: 'F', b, c, start, count; 'S', b, start, count, count before. O(1).
local FIXED = {tag = 70}
KINDS[2] = FIXED

local function start_of(now, b, phase) return now - (now - phase) % b end

function FIXED.fresh(limit, now)
  return {b = limit[2], c = limit[3], start = start_of(now, limit[2], limit[3]), count = 0}
end

function FIXED.load(value, now)
  if #value ~= 33 then return nil end
  local _, b, c, start, count = struct.unpack('<Bdddd', value)
  if not (whole(b, MOST) and b >= 1 and whole(c, b - 1) and whole(start, MOST)
      and whole(count, MOST)) then
    return nil
  end
  return {b = b, c = c, start = start, count = count}
end

function FIXED.same(st, limit) return st.b == limit[2] and st.c == limit[3] end

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

function FIXED.capacity(limit) return limit[1] end
function FIXED.available(st, limit, now) return math.max(limit[1] - st.count, 0) end
function FIXED.charge(st, limit, now, units) st.count = st.count + units end
function FIXED.reset_at(st, limit, now) return st.count == 0 and now or st.start + st.b end
function FIXED.retry(st, limit, now, cost) return st.start + st.b - now end

function FIXED.refund(st, limit, now, units, at)
  if st.count == 0 or start_of(at, st.b, st.c) ~= st.start then return false end
  st.count = math.max(st.count - units, 0)
  return true
end

function FIXED.save(st) return struct.pack('<Bdddd', 70, st.b, st.c, st.start, st.count) end

local COUNTER = {tag = 83}
KINDS[3] = COUNTER

function COUNTER.fresh(limit, now)
  return {b = limit[2], start = start_of(now, limit[2], 0), count = 0, before = 0}
end

function COUNTER.load(value, now)
  if #value ~= 33 then return nil end
  local _, b, start, count, before = struct.unpack('<Bdddd', value)
  if not (whole(b, MOST) and b >= 1 and whole(start, MOST) and whole(count, MOST / b)
      and whole(before, MOST / b)) then
    return nil
  end
  return {b = b, start = start, count = count, before = before}
end

function COUNTER.same(st, limit) return st.b == limit[2] end

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

function COUNTER.units(st, now)
  COUNTER.arrive(st, nil, now)
  return st.count + ceil_div(st.before * st.rest, st.b)
end

function COUNTER.capacity(limit) return limit[1] end

function COUNTER.available(st, limit, now)
  return math.max(limit[1] - st.count - ceil_div(st.before * st.rest, st.b), 0)
end

function COUNTER.charge(st, limit, now, units) st.count = st.count + units end

function COUNTER.reset_at(st, limit, now)
  if st.count > 0 then return st.start + 2 * st.b end
  return st.before > 0 and st.start + st.b or now
end

-- How long before the end of its weight a count weighs no more than room.
local function weightless(count, room, b)
  if count <= room then return b end
  local product = room * b
  return (product - product % count) / count
end

function COUNTER.retry(st, limit, now, cost)
  local room, at = limit[1] - st.count - cost, st.start + st.b
  if room >= 0 then
    at = at - weightless(st.before, room, st.b)
  else
    at = at + st.b - weightless(st.count, limit[1] - cost, st.b)
  end
  return math.max(at - now, 0)
end

function COUNTER.refund(st, limit, now, units, at)
  local start = start_of(at, st.b, 0)
  local name = start == st.start and 'count' or start == st.start - st.b and 'before'
  if not name or st[name] == 0 then return false end
  st[name] = math.max(st[name] - units, 0)
  return true
end

function COUNTER.save(st) return struct.pack('<Bdddd', 83, st.b, st.start, st.count, st.before) end
