-- Fixed windows of a calendar, whose edges the script cannot know: the caller sends three that follow
-- one another, and the server's time says which of the two windows it is.
-- Limit: a = limit; b < c < d, edges in microseconds: before c the window is [b, c), from c on [c, d).
-- Beyond d nobody knows which window it is unless the value says so: a caller that is late refuses, to
-- be asked again at once, and begins no window.
-- Value, 25 bytes: 'C', start, end, count; 8 more as of the fixed window. Cost: O(1).
local CALENDAR = {}

function CALENDAR.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.b, -LONGEST, MOST) and whole(limit.c, limit.b + 1, MOST)
    and whole(limit.d, limit.c + 1, MOST)
end

function CALENDAR.fresh(limit, now)
  local late = now >= limit.c
  return {start = late and limit.c or limit.b, over = late and limit.d or limit.c, count = 0,
    held = 0}
end

function CALENDAR.load(value)
  if #value ~= 25 and #value ~= 33 then return nil end
  local _, start, over, count = struct.unpack('<Bddd', value)
  local held = held_behind(value, 25)
  if not (whole(start, -LONGEST, MOST) and whole(over, start + 1, MOST) and whole(count, 0, MOST)
      and whole(held, 0, MOST)) then
    return nil
  end
  return {start = start, over = over, count = count, held = held}
end

function CALENDAR.same() return true end

function CALENDAR.arrive(st, limit, now)
  local to = CALENDAR.fresh(limit, now)
  if st.over <= to.start then
    -- Unless the caller is ahead of the server, the stored window is over.
    if now < st.over then return end
    if st.held <= to.start then st.count = 0 end
  elseif st.start >= to.over then
    -- The caller is behind, or the server's clock has stepped back by no more than a window.
    if now >= to.over or st.start - now <= st.over - st.start then return end
    st.held, st.clamped = math.min(st.held, to.over), true
  end
  -- Where they overlap and differ, the calendar has changed: what counted still does.
  if st.over <= now and now < to.over and st.held <= now then st.count = 0 end
  st.start, st.over = to.start, to.over
end

function CALENDAR.units(st, now)
  if st.start - now > st.over - st.start then
    st.start, st.over, st.clamped = now, now + st.over - st.start, true
    st.held = math.min(st.held, st.over)
  end
  return now < st.over and st.count or 0
end

-- Nothing of a window that is over: its caller is late.
function CALENDAR.available(st, limit, now)
  return now < st.over and math.max(limit.a - st.count, 0) or 0
end
function CALENDAR.charge(st, limit, now, units) st.count = st.count + units end
function CALENDAR.keep(st, limit, now, units, life)
  st.count, st.held = st.count + units, math.max(st.held, now + life)
end

-- Not at all if the caller's edges are not those around now: nobody knows when the window ends.
function CALENDAR.longest_life(st, limit, now)
  return st.start <= now and math.max(st.over - now, 0) or 0
end

function CALENDAR.refund(st, limit, now, units, at)
  if st.count == 0 or at < st.start or at >= st.over then return false end
  st.count = math.max(st.count - units, 0)
  return true
end

function CALENDAR.late(st, now, units, at)
  if units == 0 or at < st.start or at >= st.over then return false end
  st.count = st.count + units
  return true
end

function CALENDAR.owe(st, limit, now, units, at)
  return CALENDAR.late(st, now, math.min(units, CALENDAR.available(st, limit, now)), at)
end

-- Beyond the last edge that is known: a window from now, so that the key outlives the caller's lag.
-- So it does if units are kept for longer.
local function over(st, now)
  local last = math.max(now, st.held)
  return last <= st.over and now < st.over and st.over or last + st.over - st.start
end

function CALENDAR.reset_at(st, now) return st.count == 0 and now or over(st, now) end
function CALENDAR.drained(st, room, now)
  return st.count > room and now < st.over and over(st, now) - now or 0
end
function CALENDAR.save(st)
  return with_held(struct.pack('<Bddd', 67, st.start, st.over, math.min(st.count, MOST)), st.held)
end
return CALENDAR
