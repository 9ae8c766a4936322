-- Fixed window: a count of the stored window. A clock that has stepped back by up to a window counts in
-- the stored one ("late"); by more, the count moves to the window of now.
-- Limit: a = limit, b = window in microseconds, c = a start of a window modulo b.
-- Value, 33 bytes: 'F', b, c, start, count; 8 more while kept units may be used, until when. That is no
-- later than the window's end, unless another kind of limit has kept them. Cost: O(1).
local FIXED = {}

function FIXED.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.b, 1, LONGEST) and whole(limit.c, 0, limit.b - 1)
end

function FIXED.fresh(limit, now)
  return {b = limit.b, c = limit.c, start = start_of(now, limit.b, limit.c), count = 0,
    held = 0}
end

function FIXED.load(value)
  if #value ~= 33 and #value ~= 41 then return nil end
  local _, b, c, start, count = struct.unpack('<Bdddd', value)
  local held = held_behind(value, 33)
  if not (whole(b, 1, LONGEST) and whole(c, 0, b - 1) and whole(start, -b, MOST)
      and whole(count, 0, MOST) and whole(held, 0, MOST)) then
    return nil
  end
  return {b = b, c = c, start = start, count = count, held = held}
end

function FIXED.same(st, limit) return st.b == limit.b and st.c == limit.c end

function FIXED.arrive(st, limit, now)
  local start = start_of(now, st.b, st.c)
  if st.start < start then
    st.start = start
    -- What is kept beyond the end of its window may be used in this one.
    if st.held <= start then st.count = 0 end
  elseif st.start > start + st.b then
    st.start, st.held, st.clamped = start, math.min(st.held, start + st.b), true
  end
end

function FIXED.units(st, now)
  FIXED.arrive(st, nil, now)
  return st.count
end

function FIXED.available(st, limit, now) return math.max(limit.a - st.count, 0) end
function FIXED.charge(st, limit, now, units) st.count = st.count + units end
function FIXED.keep(st, limit, now, units, life)
  st.count, st.held = st.count + units, math.max(st.held, now + life)
end

-- To the end of the window, in which they count.
function FIXED.longest_life(st, limit, now) return start_of(now, st.b, st.c) + st.b - now end

function FIXED.refund(st, limit, now, units, at)
  if st.count == 0 or start_of(at, st.b, st.c) ~= st.start then return false end
  st.count = math.max(st.count - units, 0)
  return true
end

function FIXED.late(st, now, units, at)
  if units == 0 or start_of(at, st.b, st.c) ~= st.start then return false end
  st.count = st.count + units
  return true
end

function FIXED.owe(st, limit, now, units, at)
  return FIXED.late(st, now, math.min(units, FIXED.available(st, limit)), at)
end

local function over(st)
  local over = st.start + st.b
  return st.held <= over and over or start_of(st.held - 1, st.b, st.c) + st.b
end

function FIXED.reset_at(st, now) return st.count == 0 and now or over(st) end
function FIXED.stored_until(st) return st.count > 0 and over(st) end
function FIXED.drained(st, room, now) return st.count <= room and 0 or over(st) - now end
function FIXED.save(st)
  return with_held(struct.pack('<Bdddd', 70, st.b, st.c, st.start, math.min(st.count, MOST)), st.held)
end
return FIXED
