-- Runs of units that leave at the same time, oldest first: what the sliding log and the bucket ring
-- share. A ring is a log whose leaving times are those of sub-windows, and whose clock is never before
-- its newest one.
-- Value: 'L' or 'R', b, c, then leaving time and count of each run, 16 bytes each; 8 more as of the
-- fixed window; of a log only if units are kept for longer than its own window ("beyond"), as else the
-- newest leaving time tells. Cost: O(runs).
local RUNS = {}

function RUNS.fresh(limit, now) return {b = limit.b, c = limit.c, runs = {}, total = 0, held = 0,
  beyond = 0} end

function RUNS.load(value)
  if #value < 17 then return nil end
  local tag, b, c, at = struct.unpack('<Bdd', value)
  local fields = #value - (#value - 17) % 16
  if #value ~= fields and #value ~= fields + 8 then return nil end
  local held = held_behind(value, fields)
  if not (whole(c, 0, 4096) and whole(b, 1, LONGEST) and whole(held, 0, MOST))
    or (c > 0) ~= (tag == 82) then
    return nil
  end
  local st = {b = b, c = c, runs = {}, total = 0, held = held, beyond = 0}
  local before = 0
  while at <= fields do
    local leaves, count
    leaves, count, at = struct.unpack('<dd', value, at)
    if not (whole(leaves, before, MOST) and whole(count, 0, MOST)) then return nil end
    st.runs[#st.runs + 1] = {leaves, count}
    st.total = st.total + count
    before = leaves
  end
  -- Units of a log leave a window after they may have been used last.
  if c == 0 then st.held, st.beyond = math.max(before - b, 0), held end
  return st
end

function RUNS.same(st, limit) return st.b == limit.b and st.c == limit.c end

local function span(st) return st.c > 0 and st.b * st.c or st.b end

-- When a unit leaves that is admitted at now, unless those before it leave later.
function RUNS.leaves_at(st, now) return st.c > 0 and now - now % st.b + span(st) or now + st.b end
local leaves_at = RUNS.leaves_at

function RUNS.arrive(st, limit, now)
  local runs = st.runs
  local newest = #runs > 0 and runs[#runs][1] or 0
  local latest = leaves_at(st, now)
  if newest > latest + span(st) + math.max(st.beyond - now, 0) then
    -- More than a window further ahead than anything admitted now: the clock has stepped back.
    local shift = newest - latest
    for i = 1, #runs do runs[i][1] = math.max(runs[i][1] - shift, 0) end
    newest, st.clamped = latest, true
    st.held = math.min(st.held, st.c > 0 and now - now % st.b + st.b or now)
  end
  if st.c > 0 and #runs > 0 and st.held > newest - span(st) + st.b then
    -- What is kept beyond the end of its sub-window may be used in any until then: it counts in the last.
    newest = math.max(newest, math.min(leaves_at(st, st.held - 1), latest))
    runs = {{newest, st.total}}
    st.runs = runs
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

function RUNS.units(st, now)
  RUNS.arrive(st, nil, now)
  return st.total
end

function RUNS.available(st, limit, now) return math.max(limit.a - st.total, 0) end

function RUNS.charge(st, limit, now, units)
  local leaves, last = math.max(leaves_at(st, now), st.newest), st.runs[#st.runs]
  if last and last[1] == leaves and #st.runs >= st.first then
    last[2] = last[2] + units
  else
    st.runs[#st.runs + 1] = {leaves, units}
  end
  st.total, st.newest = st.total + units, leaves
  st.stored = st.total
end

function RUNS.reset_at(st, now)
  local counted = st.c > 0 and st.stored or st.total
  local newest = st.c > 0 and st.held > now and math.max(st.newest, leaves_at(st, st.held - 1)) or st.newest
  return counted == 0 and now or math.max(newest, now)
end

function RUNS.drained(st, room, now)
  local total, i = st.total, st.first
  while total > room and i <= #st.runs do
    total = total - st.runs[i][2]
    i = i + 1
  end
  return i == st.first and 0 or math.max(st.runs[i - 1][1] - now, 0)
end

function RUNS.owe(st, limit, now, units, at)
  return RUNS.late(st, now, math.min(units, RUNS.available(st, limit)), at)
end

function RUNS.late(st, now, units, at)
  local runs, leaves = st.runs, leaves_at(st, at)
  local present = st.c > 0 and math.max(now, st.newest - span(st)) or now
  if units == 0 or leaves <= present then return false end
  local i = #runs
  while i >= st.first and runs[i][1] > leaves do i = i - 1 end
  if i >= st.first and runs[i][1] == leaves then
    runs[i][2] = runs[i][2] + units
  else
    table.insert(runs, i + 1, {leaves, units})
  end
  st.total, st.newest = st.total + units, math.max(st.newest, leaves)
  st.stored = st.total
  return true
end

function RUNS.save(st)
  local parts = {struct.pack('<Bdd', st.c > 0 and 82 or 76, st.b, st.c)}
  for i = st.whole and 1 or st.kept, #st.runs do
    local run = st.runs[i]
    if run[2] > 0 or (st.c > 0 and i == #st.runs) then
      parts[#parts + 1] = struct.pack('<dd', run[1], math.min(run[2], MOST))
    end
  end
  return with_held(table.concat(parts), st.c > 0 and st.held or st.beyond)
end
return RUNS
