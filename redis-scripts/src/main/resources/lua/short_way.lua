-- The short way, for what is common: checks, leases and refunds of one limit each, paced but no queue
-- (GCRA, token bucket, leaky bucket as a meter) or a fixed window. It decides as paced.lua,
-- fixed_window.lua, decide.lua and lease.lua do, of which it makes nothing; from the first on that is
-- not common it leaves all to them. In one piece, as to make a function costs a twentieth of a decision.
-- Cost: O(1), one SET per check granted.

-- What is asked, if all of it is common: of a single check in these, else also by number. Equal bytes
-- are read once.
local op, limits, requests, second, of_life, kind, a, b, c, d, cost, mark, _
local found, at, meters, known, meter = 0, 1
if count > 1 then meters, known = {}, {} end
while at <= #input do
  local length, bytes = 59, known and sub(input, at, at + 58)
  meter = bytes and known[bytes]
  if not meter then
    op = byte(input, at)
    if op ~= 1 then
      length = op == 7 and 67 or op == 4 and 75 or 0
      bytes = known and sub(input, at, at + length - 1)
      meter = bytes and known[bytes]
    end
  end
  if not meter then
    if length == 0 or at + length - 1 > #input then break end
    of_life, mark = 0, -1
    if op == 1 then
      _, limits, requests, second, kind, a, b, c, d, cost = unpack_struct('<BBddBddddd', input, at)
      if second ~= 0 or requests == 0 then break end
    elseif op == 7 then
      _, limits, requests, second, of_life, kind, a, b, c, d, cost =
        unpack_struct('<BBdddBddddd', input, at)
      if not (second * of_life <= MOST and (second == 0 or of_life > 0)) then break end
    else
      _, limits, requests, second, of_life, kind, a, b, c, d, cost, mark =
        unpack_struct('<BBdddBdddddd', input, at)
      if requests ~= 1 or not (mark >= -1 and mark < COUNTS and mark % 1 == 0) then break end
    end
    if kind == 1 then
      if not (a >= 1 and b >= 1 and c >= 1 and 2 * c * b + a <= MOST and d < 0
          and d >= -1 - LONGEST_LIFE) then
        break
      end
    elseif kind ~= 2 or d ~= 0
      or not (a >= 1 and a <= MOST and b >= 1 and b <= LONGEST and c >= 0 and c < b) then
      break
    end
    if limits ~= 1 or a % 1 + b % 1 + c % 1 + d % 1 > 0
      or not (requests >= 0 and second >= 0 and second <= MOST and of_life >= 0
        and of_life <= LONGEST_LIFE and cost >= 1 and cost <= MOST
        and (op == 7 and requests + second or requests) * cost <= MOST
        and requests % 1 + second % 1 + of_life % 1 + cost % 1 == 0) then
      break
    end
    if known then
      meter = {op, requests, second, of_life, kind, a, b, c, d, cost, mark}
      known[bytes] = meter
    end
  end
  found = found + 1
  if meters then meters[found] = meter end
  at = at + length
end

local only
if found ~= count or at <= #input or count == 0 or count > 1000 then
  found = 0
elseif count == 1 then
  only = call('MGET', keys[1])[1]
else
  values, written, replies = call('MGET', unpack(keys)), {}, {pack('<d', now), unpack(keys)}
end
meter = nil
for index = 1, found do
  local key, value = keys[index], only
  if meters then
    if meters[index] ~= meter then
      meter = meters[index]
      op, requests, second, of_life, kind, a, b, c, d, cost, mark = unpack(meter)
    end
    value = written[key]
    if value == nil then value = values[index] end
  end
  -- MGET does not tell a value of another type from none.
  if op == 4 and not value and call('EXISTS', key) == 1 then break end

  -- What is free; of a paced limit by what it owes, of a window by its count.
  local capacity, free, longest, counter, debt, start, window, expires = a
  -- For how long kept units may still be used.
  local held = 0
  if kind == 1 then
    capacity, longest, debt = c, -1 - d, 0
    if value then
      local tag, tat, ticks, of_a, of_b, of_c
      if longest == 0 then
        if #value ~= 41 then break end
        tag, tat, ticks, of_a, of_b, of_c = unpack_struct('<Bddddd', value)
      else
        if #value ~= 44 then break end
        tag, tat, ticks, of_a, of_b, of_c, counter, held = unpack_struct('<BI7I7I7I7I7I5I3', value)
        if held > 0 then
          held = (held - (now - now % 64) / 64) % 16777216
          held = held <= 262144 and held * 64 > now % 64 and held * 64 - now % 64 or 0
        end
      end
      -- The pace is ours, so it needs no validation.
      if tag ~= 80 or of_a ~= a or of_b ~= b or of_c ~= c or not (tat >= 0 and tat <= MOST
          and ticks >= 0 and ticks < a and tat % 1 + ticks % 1 == 0) then
        break
      end
      local ahead = tat - now
      if ahead >= 0 then
        if ahead > 2 * c * b / a then break end
        debt = ahead * a + ticks
      end
    elseif longest > 0 then
      counter = now * 256 % COUNTS
    end
    local room = c * b - debt
    free = room > 0 and (room - room % b) / b or 0
  else
    window, debt = now - (now - c) % b, 0
    start, longest = window, window + b - now
    if value then
      local tag, of_b, of_c
      if #value == 41 then
        tag, of_b, of_c, start, debt, held = unpack_struct('<Bddddd', value)
        if tag ~= 70 or not (held >= 0 and held <= start + b and held % 1 == 0) then break end
        held = held > now and held - now or 0
      elseif #value == 33 then
        tag, of_b, of_c, start, debt = unpack_struct('<Bdddd', value)
      else
        break
      end
      if tag ~= 70 or of_b ~= b or of_c ~= c or not (start >= -b and start <= window + b
          and debt >= 0 and debt <= MOST and start % 1 + debt % 1 == 0) then
        break
      end
      expires = debt > 0 and start + b
      if start < window then start, debt = window, 0 end
    end
    free = a > debt and a - debt or 0
  end

  local granted, kept, life, changed = 0, 0, of_life, false
  if op == 4 and kind == 2 then
    if debt > 0 and second - (second - c) % b == start then
      debt, changed = debt > cost and debt - cost or 0, true
    end
  elseif op == 4 then
    -- The more of what surely has not drained, and of what surely is owed still: see paced.lua.
    local owed, back, age = (cost < c and cost or c) * b, 0, held - life
    if now > second then age = age + now - second end
    if age < 0 then age = 0 end
    if age * a < owed then back = owed - age * a end
    local others = debt - held * a
    if counter and mark >= 0 and others > 0 then
      local since = (counter - mark) % COUNTS
      if since < others / b then back = math.max(back, math.min(owed, others - since * b)) end
    end
    if debt > 0 and back > 0 then debt, changed = math.max(debt - back, 0), true end
  else
    granted = (free - free % cost) / cost
    if granted > requests then granted = requests end
    local units, wanted = granted * cost, second
    free = free - units
    debt = debt + (kind == 1 and units * b or units)
    if wanted > 0 and granted == requests then
      -- What is to be kept is charged as if it came at the end of its life: see lease.lua.
      if longest < life then life = longest end
      local due, lendable, rest = debt, free, wanted * life % of_life
      if kind == 1 then
        due = math.max(debt, life * a)
        local room = life > 0 and c * b - due or 0
        lendable = room > 0 and (room - room % b) / b or 0
      end
      kept = (wanted * life - rest) / of_life + (rest > 0 and 1 or 0)
      kept = math.min(kept, (lendable - lendable % (4 * cost)) / (4 * cost))
      if kept > 0 then
        units = units + kept * cost
        debt = due + kept * cost * (kind == 1 and b or 1)
        if held < life then held = life end
      end
    end
    changed = units > 0
    if counter then counter = (counter + units % COUNTS) % COUNTS end
    if not changed and not value and call('EXISTS', key) == 1 then break end
  end

  local paid_at, ours, changed_to = now, true
  if kind == 1 then
    local ticks = debt % a
    local tat = now + (debt - ticks) / a
    paid_at = ticks > 0 and tat + 1 or tat
    if op > 1 then
      local room = c * b - debt
      free = room > 0 and (room - room % b) / b or 0
    end
    if changed and counter then
      local steps = 0
      if held > 0 then
        steps = now + held + 63
        steps = (steps - steps % 64) / 64 % 16777216
        if steps == 0 then steps = 1 end
      end
      changed_to = pack('<BI7I7I7I7I7I5I3', 80, tat, ticks, a, b, c, counter, steps)
    elseif changed then
      changed_to = pack('<Bddddd', 80, tat, ticks, a, b, c)
    end
  else
    if debt > 0 then paid_at = start + b end
    free = a > debt and a - debt or 0
    if changed and held > 0 then
      changed_to = pack('<Bddddd', 70, b, c, start, debt, now + held)
    elseif changed then
      changed_to = pack('<Bdddd', 70, b, c, start, debt)
    end
  end
  if changed then
    if expires == paid_at then
      -- Cheaper than the same expiry anew.
      call('SET', key, changed_to, 'KEEPTTL')
    else
      local left = format('%d', paid_at > now and ceil((paid_at - now) / 1000) or 1)
      if value then
        call('SET', key, changed_to, 'PX', left)
      else
        ours = call('SET', key, changed_to, 'PX', left, 'NX')
      end
    end
    if written and ours then written[key] = changed_to end
  end

  local reply
  if op == 7 then
    leases = leases or {}
    if not ours then kept = 0 end
    leases[#leases + 1] = pack('<dddddddddd', kept, kept > 0 and life or 0,
      changed and ours and counter or -1, -1, -1, -1, -1, -1, -1, -1)
  end
  if ours then
    local retry, status = 0, changed and 1 or 0
    if op == 4 then
      status = changed and 2 or 3
    elseif granted < requests then
      if cost > capacity then
        retry = -1
      elseif kind == 1 then
        local over = debt - (c - cost) * b
        retry = over > 0 and (over - over % a) / a + (over % a > 0 and 1 or 0) or 0
      elseif debt > a - cost then
        retry = start + b - now
      end
    end
    reply = pack('<BBdddddd', status, 0, granted, free, capacity, paid_at, retry, 0)
  else
    reply = pack('<BBdddddd', 4, 0, 0, 0, 0, now, 0, 0)
  end
  if not meters then return pack('<d', now) .. reply .. (leases and leases[1] or '') end
  replies[index + 1] = reply
  decided = index
end
if count > 1 and decided == count then
  for i = 1, leases and #leases or 0 do replies[#replies + 1] = leases[i] end
  return table.concat(replies)
end
