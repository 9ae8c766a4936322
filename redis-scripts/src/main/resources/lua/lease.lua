-- Lease: requests for now, charged as by a check, and requests to keep, which may be used for a while
-- without asking. A kept unit is charged as if it came at the last moment at which it may be used, so
-- whoever asks in whatever order, no more is used than the limit allows. Nothing is kept if not all
-- that is wanted now was granted. Made only for a call that has one.
-- Cost: that of a check of the same limits.
local SHARE, NO_MARK = 4, -1

local function leased(kept, life, marks)
  leases = leases or {}
  leases[#leases + 1] = struct.pack('<dddddddddd', kept, life, marks[1] or NO_MARK, marks[2] or NO_MARK,
    marks[3] or NO_MARK, marks[4] or NO_MARK, marks[5] or NO_MARK, marks[6] or NO_MARK,
    marks[7] or NO_MARK, marks[8] or NO_MARK)
end

-- Returns how many requests may be kept, and for how long: to the end of the windows, and then fewer in
-- proportion. They are a share of the free units, so that the last ones are granted one by one.
local function keepable(check, states)
  local life = check.life
  for i = 1, check.count do
    life = math.min(life, check[i].kind.longest_life(states[i], check[i], now))
  end
  if life == 0 or check.want == 0 then return 0, 0 end
  local kept = ceil_div(check.want * life, check.life)
  for i = 1, check.count do
    local limit = check[i]
    local lendable = limit.kind.lendable or limit.kind.available
    local free = lendable(states[i], limit, now, life)
    kept = math.min(kept, floor_div(free, SHARE * limit.cost))
  end
  return kept, kept > 0 and life or 0
end

local function lease(check)
  local granted, states, free = admitted(check)
  if not granted then
    leased(0, 0, {})
    return answer(4, states - 1, 0, 0, 0, now, 0, 0)
  end
  local kept, life, marks = 0, 0, {}
  for i = 1, granted > 0 and check.count or 0 do
    check[i].kind.charge(states[i], check[i], now, granted * check[i].cost)
  end
  if granted == check.requests then kept, life = keepable(check, states) end
  for i = 1, check.count do
    local limit, st = check[i], states[i]
    local kind = limit.kind
    if kept > 0 then kind.keep(st, limit, now, kept * limit.cost, life) end
    if granted + kept > 0 then
      st.of = nil
      store(check.first + i, kind, st)
      free[i] = kind.available(st, limit, now)
      marks[i] = st.counter
    elseif st.clamped then
      store(check.first + i, st.of or kind, st.of and st.old or st)
    end
  end
  leased(kept, life, marks)
  return told(check, granted + kept > 0 and 1 or 0, granted, states, free, 0)
end
return lease
