-- Sliding log: each admitted unit counts for a window of its own, and leaves on time; see runs.lua.
-- Limit: a = limit, at most 4,096; b = window in microseconds; c = 0. Cost: O(runs), of which there are
-- those of 1.25 windows, 1.25 * a + 1 or so.
local LOG = make_runs()

function LOG.valid(limit)
  return whole(limit.a, 1, 4096) and whole(limit.b, 1, LONGEST) and limit.c == 0
end

-- They still count a window after they may have been used.
function LOG.longest_life(st) return st.b end
function LOG.keep(st, limit, now, units, life)
  LOG.charge(st, limit, now + life, units)
  if life > st.b then st.beyond = math.max(st.beyond, now + life) end
end

function LOG.refund(st, limit, now, units, at, life)
  local leaves, back = at + life + st.b, math.min(units, st.total)
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
return LOG
