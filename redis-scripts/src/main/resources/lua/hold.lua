-- Hold: units of requests whose cost, or end, is not known yet. They are held until their holder, an
-- event loop of a sidecar, says that they are not; what the requests took is charged then. A peek of
-- limits that hold shows what is used and held. Made only for a call that has one of these.
-- A holder says absolute numbers: units that it holds, and units that it has charged since it began. So
-- a message that is lost, late or repeated does no harm, and nothing is ever refunded.
-- Beside the key of each limit that holds stands a hash. Integers of 7 bytes, little-endian:
--   field s, 21 bytes: sum of all units held; a time before which no record with units expires; until
--     when the hash is kept
--   a field per holder, its 8 bytes; 28 bytes: units held; units charged; sequence of its last
--     message; when it expires
-- A record only expires, so that a message which comes late finds it: what it holds is then charged as
-- if at that moment. As each call looks for these first, nothing was granted in between.
-- Cost: an HMGET and an HSET per limit that holds; an HGETALL when a record may have expired, once in
-- a life.
local APPLIED, OLDER, FORGOTTEN = 1, 2, 3
local SHARE, PART = 4, 500

-- The sum of what is held of one limit, and the record of the holder that asks; nil if its key has a value
-- that is not Weir's.
local function held_of(check, i)
  local key = KEYS[check.held[i]]
  local found = redis.pcall('HMGET', key, 's', check.holder or 's')
  if found.err and string.find(found.err, 'WRONGTYPE') then return nil end
  -- Any other error is not ours to read, and ends the call as it would have.
  if found.err then redis.call('HMGET', key, 's') end
  local sum, record = found[1], check.holder and found[2]
  local of = {key = key, sum = 0, earliest = now + LONGEST_LIFE, kept = 0, gone = {}, lapsed = {}}
  if sum then
    if #sum ~= 21 then return nil end
    of.sum, of.earliest, of.kept = struct.unpack('<I7I7I7', sum)
  end
  if record then
    if #record ~= 28 then return nil end
    of.units, of.charged, of.sequence, of.expires = struct.unpack('<I7I7I7I7', record)
    if of.expires <= now then of.units = nil end
  end
  return of
end

-- Takes out the records that have expired; false if one of them is not ours. A record that seems to
-- live longer than any was written before the server's clock stepped back.
local function sweep(of)
  if of.earliest > now and of.earliest <= now + LONGEST_LIFE then return true end
  local all = redis.call('HGETALL', of.key)
  of.sum, of.earliest, of.swept, of.late = 0, now + LONGEST_LIFE, true, {}
  for i = 1, #all, 2 do
    local field, record = all[i], all[i + 1]
    if field ~= 's' then
      if #record ~= 28 then return false end
      local units, charged, sequence, expires = struct.unpack('<I7I7I7I7', record)
      if expires <= now then
        of.gone[#of.gone + 1] = field
        if units > 0 then of.lapsed[#of.lapsed + 1] = {expires, units} end
      else
        if expires > now + LONGEST_LIFE then
          expires = now + LONGEST_LIFE
          of.late[#of.late + 1] = field
          of.late[#of.late + 1] = struct.pack('<I7I7I7I7', units, charged, sequence, expires)
        end
        of.sum = of.sum + units
        if units > 0 then of.earliest = math.min(of.earliest, expires) end
      end
    end
  end
  table.sort(of.lapsed, function(one, other) return one[1] < other[1] end)
  return true
end

-- Charges units whose record has expired, whether they fit or not; of a limit that another has replaced
-- under that one, too.
local function lapse(st, kind, of)
  for i = 1, #of.lapsed do
    local at, units = of.lapsed[i][1], of.lapsed[i][2]
    if kind.late then of.changed = kind.late(st, now, units, at) or of.changed end
    if st.of then of.changed = st.of.late(st.old, now, units, at) or of.changed end
  end
end

-- Charges units that a holder says it has charged, whether they fit or not; of a replaced limit, too.
local function charge(st, limit, of, units, held)
  local kind = limit.kind
  if units == 0 or not kind.charge then return end
  if kind.settle then kind.settle(st, limit.c, units, held) else kind.charge(st, limit, now, units) end
  if st.of and st.of.settle then
    st.of.settle(st.old, st.old.c, units, held)
  elseif st.of then
    st.of.charge(st.old, nil, now, units)
  end
  of.changed = true
end

-- Takes over the holder's numbers for one limit; returns what became of them.
local function settle(check, i, st, of)
  if not of.units and check.how[i] == 1 then return FORGOTTEN end
  if of.units and check.sequence <= of.sequence then return OLDER end
  local before, charged = of.units or 0, of.units and of.charged or 0
  local units = math.max(check.charged[i] - charged, 0)
  charge(st, check[i], of, units, math.min(units, before))
  of.sum = math.max(of.sum - before, 0) + check.units[i]
  of.units, of.charged = check.units[i], charged + units
  return APPLIED
end

-- Returns how many requests are granted, and how many more are kept: a share of the free units, and none
-- where a limit is charged at once.
local function asked(check, free)
  local granted, kept = check.requests, check.op == 8 and check.charged_at or 0
  for i = 1, check.count do
    granted = math.min(granted, floor_div(math.max(free[i], 0), check[i].cost))
  end
  if granted < check.requests then return granted, 0 end
  for i = 1, check.count do
    local left = math.max(free[i] - granted * check[i].cost, 0)
    kept = check.held[i] and math.min(kept, floor_div(left, SHARE * check[i].cost)) or 0
  end
  return granted, kept
end

-- The longest time for which units count that are charged when a record expires.
local function span(limit)
  local number = limit.number
  if number == 1 then return limit.kind.span(limit) end
  if number == 5 then return limit.b * limit.c end
  if number == 6 then return limit.d - limit.b end
  return number == 7 and 0 or limit.b * (number == 4 and 1 or 2)
end

local function write(check, i, of, is_applied)
  if not is_applied and not of.swept then return end
  local key = of.key
  local fields = of.late or {}
  if is_applied then
    if of.units > 0 then of.earliest = math.min(of.earliest, now + check.life) end
    fields[#fields + 1] = check.holder
    fields[#fields + 1] = struct.pack('<I7I7I7I7', of.units, math.min(of.charged, MOST), check.sequence,
      now + check.life)
  end
  local kept = is_applied and now + check.life + span(check[i]) or 0
  local longer = kept > of.kept
  of.kept = math.max(of.kept, kept)
  fields[#fields + 1] = 's'
  fields[#fields + 1] = struct.pack('<I7I7I7', math.min(of.sum, MOST), of.earliest, of.kept)
  for from = 1, #of.gone, PART do
    redis.call('HDEL', key, unpack(of.gone, from, math.min(from + PART - 1, #of.gone)))
  end
  for from = 1, #fields, PART do
    redis.call('HSET', key, unpack(fields, from, math.min(from + PART - 1, #fields)))
  end
  if longer then redis.call('PEXPIRE', key, format('%d', ceil((of.kept - now) / 1000))) end
end

local function hold(check)
  local count, states, free, held, told_of = check.count, {}, {}, {}, {0, 0, 0, 0, 0, 0, 0, 0}
  local foreign
  for i = 1, count do
    local of = check.held[i] and held_of(check, i)
    states[i] = check[i].number == 7 and {} or state(check, i)
    if not states[i] then
      foreign = foreign or i
    elseif check.held[i] and not (of and sweep(of)) then
      foreign = foreign or check.held[i] - check.first
    end
    held[i] = of
  end
  if foreign then
    if check.op == 8 then holds[#holds + 1] = struct.pack('<dBBBBBBBB', 0, unpack(told_of)) end
    return answer(4, foreign - 1, 0, 0, 0, now, 0, 0)
  end
  local is_applied = true
  for i = 1, count do
    local limit, st, of = check[i], states[i], held[i]
    if of then
      lapse(st, limit.kind, of)
      if check.op == 8 then
        told_of[i] = settle(check, i, st, of)
        is_applied = is_applied and told_of[i] == APPLIED
      end
    end
    free[i] = limit.kind.available(st, limit, now) - (of and of.sum or 0)
  end
  local granted, kept = 0, 0
  if is_applied then granted, kept = asked(check, free) end
  local units = {}
  for i = 1, count do
    local limit, st, of = check[i], states[i], held[i]
    local kind = limit.kind
    local taken = (granted + kept) * limit.cost
    if check.op == 8 then
      local changed = of and of.changed
      if of then
        of.units, of.sum = of.units and of.units + taken, of.sum + taken
        write(check, i, of, told_of[i] == APPLIED)
      elseif taken > 0 then
        kind.charge(st, limit, now, taken)
        changed = true
      end
      -- A grant under this limit makes the value its own, as that of a check does.
      if taken > 0 and st.of then st.of, changed = nil, true end
      if changed or st.clamped then
        local by, state = st.of or kind, st.of and st.old or st
        store(check.first + i, by, state, of and by.span and by.span(state))
      end
      free[i] = free[i] - taken
    end
    free[i], units[i] = math.max(free[i], 0), of and of.sum or 0
  end
  if check.op == 8 then holds[#holds + 1] = struct.pack('<dBBBBBBBB', kept, unpack(told_of)) end
  return told(check, granted + kept > 0 and 1 or 0, granted, states, free, 0, units)
end
return hold
