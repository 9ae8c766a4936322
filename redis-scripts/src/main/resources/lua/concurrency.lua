-- Concurrency: how many units may be held at once. Nothing of it is ever used, so it has no value; its
-- units are in hold.lua.
-- Limit: a = units, b = c = d = 0. Cost: O(1).
local CONCURRENCY = {}

function CONCURRENCY.valid(limit)
  return whole(limit.a, 1, MOST) and limit.b == 0 and limit.c == 0 and limit.d == 0
end

function CONCURRENCY.available(st, limit) return limit.a end
function CONCURRENCY.reset_at(st, now) return now end
function CONCURRENCY.drained() return 0 end
return CONCURRENCY
