-- Sliding counter: the count of the stored window, and that of the one before by the share of it that
-- the sliding window still covers. A clock that has stepped back is taken as by the fixed window.
-- Limit: a = limit, b = window in microseconds, c = 0; a * b < 2^53.
-- Value, 33 bytes: 'S', b, start, count, count before; 8 more as of the fixed window. Cost: O(1).
local COUNTER = {}

function COUNTER.valid(limit)
  return whole(limit.b, 1, LONGEST) and whole(limit.a, 1, MOST / limit.b)
end

function COUNTER.fresh(limit, now)
  return {b = limit.b, start = start_of(now, limit.b, 0), count = 0, before = 0, held = 0}
end

function COUNTER.load(value)
  if #value ~= 33 and #value ~= 41 then return nil end
  local _, b, start, count, before = struct.unpack('<Bdddd', value)
  local held = held_behind(value, 33)
  if not (whole(b, 1, LONGEST) and whole(start, 0, MOST) and whole(count, 0, MOST / b)
      and whole(before, 0, MOST / b) and whole(held, 0, MOST)) then
    return nil
  end
  return {b = b, start = start, count = count, before = before, held = held}
end

function COUNTER.same(st, limit) return st.b == limit.b end

function COUNTER.arrive(st, limit, now)
  local start = start_of(now, st.b, 0)
  if st.start < start and st.held > st.start + st.b then
    -- What is kept beyond the end of its window may be used in any until then.
    st.start, st.before = math.min(start_of(st.held - 1, st.b, 0), start), st.count
  end
  if st.start == start - st.b then
    st.start, st.before, st.count = start, st.count, 0
  elseif st.start < start then
    st.start, st.before, st.count = start, 0, 0
  elseif st.start > start + st.b then
    st.start, st.held, st.clamped = start, math.min(st.held, start + st.b), true
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
function COUNTER.keep(st, limit, now, units, life)
  st.count, st.held = st.count + units, math.max(st.held, now + life)
end

-- To the end of the window: until then the weight of the one before only falls.
function COUNTER.longest_life(st, limit, now) return start_of(now, st.b, 0) + st.b - now end

function COUNTER.refund(st, limit, now, units, at)
  local start = start_of(at, st.b, 0)
  local name = start == st.start and 'count' or start == st.start - st.b and 'before'
  if not name or st[name] == 0 then return false end
  st[name] = math.max(st[name] - units, 0)
  return true
end

function COUNTER.late(st, now, units, at)
  local start = start_of(at, st.b, 0)
  local name = start == st.start and 'count' or start == st.start - st.b and 'before'
  if not name then return false end
  st[name] = st[name] + units
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
  if st.count > 0 then
    local last = st.held > st.start + st.b and start_of(st.held - 1, st.b, 0) or st.start
    return last + 2 * st.b
  end
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

function COUNTER.save(st)
  local most = floor_div(MOST, st.b)
  return with_held(struct.pack('<Bdddd', 83, st.b, st.start, math.min(st.count, most), math.min(st.before, most)),
    st.held)
end
return COUNTER
