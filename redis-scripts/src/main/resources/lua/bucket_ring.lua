-- Bucket ring: a window of sub-windows that are counted each, and leave whole; see runs.lua.
-- Limit: a = limit; b = width of a sub-window in microseconds; c = sub-windows, 2 to 4,096. Cost:
-- O(runs), at most c of them.
local RING = setmetatable({}, OF_RUNS)
KINDS[5], BY_TAG[82] = RING, RING

function RING.valid(limit)
  return whole(limit.a, 1, MOST) and whole(limit.c, 2, 4096) and whole(limit.b, 1, LONGEST / limit.c)
end

function RING.refund(st, limit, now, units, at)
  local last = st.runs[#st.runs]
  if not last or last[2] == 0 or leaves_at(st, at) ~= last[1] then return false end
  local back = math.min(units, last[2])
  last[2] = last[2] - back
  st.stored = st.stored - back
  st.total = math.max(st.total - back, 0)
  st.whole = true
  return true
end
