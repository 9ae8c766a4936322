-- Sliding log and bucket ring: runs of units that leave at the same time, oldest first. A ring is a
-- log whose leaving times are those of sub-windows, and whose clock is never before its newest one.
-- Limit: a = limit, b = width in microseconds (the log: its window), c = sub-windows (the log: 0).
-- Value: 'L' or 'R', b, c, then leaving time and count of each run. Cost: O(runs), 16 bytes each: at
-- most c of them (ring), or those of 1.25 windows (log, 1.25 * a + 1 or so); a log's a and a ring's c
-- are at most 4,096.
local LOG, RING = {}, {}
KINDS[4], BY_TAG[76] = LOG, LOG
KINDS[5], BY_TAG[82] = RING, RING

function LOG.fresh(limit, now) return {b = limit.b, c = limit.c, runs = {}, total = 0} end

function LOG.load(value)
  if #value < 17 or (#value - 17) % 16 ~= 0 then return nil end
  local tag, b, c, at = struct.unpack('<Bdd', value)
  if not (whole(c, 0, 4096) and whole(b, 1, LONGEST)) or (c > 0) ~= (tag == 82) then return nil end
  local st = {b = b, c = c, runs = {}, total = 0}
  local before = 0
  while at <= #value do
    local leaves, count
    leaves, count, at = struct.unpack('<dd', value, at)
    if not (whole(leaves, before, MOST) and whole(count, 0, MOST)) then return nil end
    st.runs[#st.runs + 1] = {leaves, count}
    st.total = st.total + count
    before = leaves
  end
  return st
end

function LOG.same(st, limit) return st.b == limit.b and st.c == limit.c end

local function span(st) return st.c > 0 and st.b * st.c or st.b end

-- When a unit leaves that is admitted at now, unless those before it leave later.
local function leaves_at(st, now) return st.c > 0 and now - now % st.b + span(st) or now + st.b end

function LOG.arrive(st, limit, now)
  local runs = st.runs
  local newest = #runs > 0 and runs[#runs][1] or 0
  local latest = leaves_at(st, now)
  if newest > latest + span(st) then
    -- More than a window further ahead than anything admitted now: the clock has stepped back.
    local shift = newest - latest
    for i = 1, #runs do runs[i][1] = math.max(runs[i][1] - shift, 0) end
    newest, st.clamped = latest, true
  end
  st.stored, st.newest = st.total, newest
  local present = st.c > 0 and math.max(now, newest - span(st)) or now
  local first = 1
  while first <= #runs and runs[first][1] <= present do
    st.total = st.total - runs[first][2]
    first = first + 1
  end
  -- A log keeps what has left for a quarter of a window: if the clock steps back that far, it counts
  -- again. A ring needs none, as its clock is never before its newest sub-window.
  local kept, since = 1, st.c > 0 and present or now - st.b / 4
  while kept < first and runs[kept][1] <= since do kept = kept + 1 end
  st.first, st.kept = first, kept
end

function LOG.units(st, now)
  LOG.arrive(st, nil, now)
  return st.total
end

function LOG.available(st, limit, now) return math.max(limit.a - st.total, 0) end

function LOG.charge(st, limit, now, units)
  local leaves, last = math.max(leaves_at(st, now), st.newest), st.runs[#st.runs]
  if last and last[1] == leaves and #st.runs >= st.first then
    last[2] = last[2] + units
  else
    st.runs[#st.runs + 1] = {leaves, units}
  end
  st.total, st.newest = st.total + units, leaves
  st.stored = st.total
end

function LOG.reset_at(st, now)
  local counted = st.c > 0 and st.stored or st.total
  return counted == 0 and now or math.max(st.newest, now)
end

function LOG.drained(st, room, now)
  local total, i = st.total, st.first
  while total > room and i <= #st.runs do
    total = total - st.runs[i][2]
    i = i + 1
  end
  return i == st.first and 0 or math.max(st.runs[i - 1][1] - now, 0)
end

function LOG.owe(st, limit, now, units, at)
  local runs, leaves = st.runs, leaves_at(st, at)
  local present = st.c > 0 and math.max(now, st.newest - span(st)) or now
  local fitting = math.min(units, LOG.available(st, limit))
  if fitting == 0 or leaves <= present then return false end
  local i = #runs
  while i >= st.first and runs[i][1] > leaves do i = i - 1 end
  if i >= st.first and runs[i][1] == leaves then
    runs[i][2] = runs[i][2] + fitting
  else
    table.insert(runs, i + 1, {leaves, fitting})
  end
  st.total, st.newest = st.total + fitting, math.max(st.newest, leaves)
  st.stored = st.total
  return true
end

local function refund_ring(st, now, units, at)
  local last = st.runs[#st.runs]
  if not last or last[2] == 0 or leaves_at(st, at) ~= last[1] then return false end
  local back = math.min(units, last[2])
  last[2] = last[2] - back
  st.stored = st.stored - back
  st.total = math.max(st.total - back, 0)
  st.whole = true
  return true
end

function LOG.refund(st, now, units, at)
  if st.c > 0 then return refund_ring(st, now, units, at) end
  local leaves, back = at + st.b, math.min(units, st.total)
  if back == 0 or leaves <= now then return false end
  -- The newest of those that leave when the charge does or before; older ones only if there are none.
  local until_then, position = 0, 0
  for i = st.first, #st.runs do
    if st.runs[i][1] <= leaves then until_then = until_then + st.runs[i][2] end
  end
  local from, newest = math.max(until_then - back, 0), now
  for i = st.first, #st.runs do
    local run = st.runs[i]
    local count = run[2]
    run[2] = count
      - math.max(math.min(position + count, from + back) - math.max(position, from), 0)
    position = position + count
    if run[2] > 0 then newest = run[1] end
  end
  st.newest = newest
  st.total = st.total - back
  return true
end

function LOG.save(st)
  local parts = {struct.pack('<Bdd', st.c > 0 and 82 or 76, st.b, st.c)}
  for i = st.whole and 1 or st.kept, #st.runs do
    local run = st.runs[i]
    if run[2] > 0 or (st.c > 0 and i == #st.runs) then
      parts[#parts + 1] = struct.pack('<dd', run[1], run[2])
    end
  end
  return table.concat(parts)
end

for name, leaf in pairs(LOG) do RING[name] = leaf end

function LOG.valid(limit)
  return whole(limit.a, 1, 4096) and whole(limit.b, 1, LONGEST) and limit.c == 0
end

function RING.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.c, 2, 4096) and whole(limit.b, 1, LONGEST / limit.c)
end
