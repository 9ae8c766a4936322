-- Bucket ring: a window of sub-windows that are counted each, and leave whole; see runs.lua.
-- Limit: a = limit; b = width of a sub-window in microseconds; c = sub-windows, 2 to 4,096. Cost:
-- O(runs), at most c of them.
local RING = make_runs()

function RING.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.c, 2, 4096) and whole(limit.b, 1, LONGEST / limit.c)
end

-- To the end of the sub-window. Not longer, and counted in a later one: the clock of a ring is never
-- before its newest sub-window, so what others have counted would leave early.
function RING.longest_life(st, limit, now) return st.b - now % st.b end
function RING.keep(st, limit, now, units, life)
  RING.charge(st, limit, now, units)
  st.held = math.max(st.held, now + life)
end

-- Off the sub-window of the charge, and no other. If the clock had stepped back, the charge may count in
-- a later one: then what is taken off leaves early, but what was charged with it stays for longer.
function RING.refund(st, limit, now, units, at)
  local runs, leaves = st.runs, RING.leaves_at(st, at)
  local i = #runs
  while i > 0 and runs[i][1] > leaves do i = i - 1 end
  local run = runs[i]
  if not run or run[1] ~= leaves or run[2] == 0 then return false end
  local back = math.min(units, run[2])
  run[2] = run[2] - back
  st.stored = st.stored - back
  if i >= st.first then st.total = st.total - back end
  st.whole = true
  return true
end
return RING
