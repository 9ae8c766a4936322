-- Reads the argument of check.lua as a whole before anything is decided: nil and a text if it is not
-- one that the encoder would write. Limits with the same bytes are read once. Cost: O(its bytes).
local HEAD, LIMIT, NUMBER, FORMER, HOLDER, HELD = 18, 41, 8, 64, 24, 17

local function read_limit(bytes)
  local number, a, b, c, d, cost = struct.unpack('<Bddddd', bytes)
  local former = number >= FORMER
  if former then number = number - FORMER end
  local kind = kind_of(number)
  if not kind then return nil, 'kind: ' .. number .. ' (expected: 1 to 7)' end
  local limit = {kind = kind, number = number, a = a, b = b, c = c, d = d, cost = cost}
  if not kind.valid(limit) then
    return nil, string.format('limit of kind %d: %.17g, %.17g, %.17g, %.17g (expected: whole numbers'
      .. ' in the range of its kind)', number, a, b, c, d)
  end
  if not whole(cost, 1, MOST) then
    return nil, string.format('cost: %.17g (expected: a whole number)', cost)
  end
  limit.capacity, limit.former = number == 1 and c or a, former
  limit.queue = number == 1 and d >= 0
  limit.life = number == 1 and math.max(-1 - d, 0)
  return limit
end

-- The life of a refund or lease, which follows its head; a text if it is not one.
local function read_life(check, input, at)
  if #input - at + 1 < NUMBER then return 'argument: ' .. #input .. ' bytes, cut off' end
  local life, want = struct.unpack('<d', input, at), check.op == 7 and check.charged_at or 0
  if not whole(life, 0, LONGEST_LIFE) or want * life > MOST or want > 0 and life == 0 then
    return string.format('life: %.17g, kept: %.17g (expected: at most %.0f us, together below 2^53)',
      life, want, LONGEST_LIFE)
  end
  check.life, check.want, check.marks = life, want, {}
end

-- Reads the fields of a hold behind its head, and then those of each limit; returns a text if it cannot.
local function read_holder(check, input, at)
  if #input - at + 1 < HOLDER then return 'argument: ' .. #input .. ' bytes, cut off' end
  local life, holder, sequence = struct.unpack('<dc8d', input, at)
  if not (whole(life, 1, LONGEST_LIFE) and whole(sequence, 1, MOST)) then
    return string.format('life: %.17g, sequence: %.17g (expected: from 1, a life of at most %.0f us)',
      life, sequence, LONGEST_LIFE)
  end
  check.life, check.holder, check.sequence = life, holder, sequence
  check.how, check.units, check.charged, check.held = {}, {}, {}, {}
end

local function read_held(check, i, input, at)
  if #input - at + 1 < HELD then return 'argument: ' .. #input .. ' bytes, cut off' end
  local how, units, charged = struct.unpack('<Bdd', input, at)
  local most = how == 1 and MOST or 0
  if how > 2 or not (whole(units, 0, most) and whole(charged, 0, most)) then
    return string.format('how: %d, units: %.17g, charged: %.17g (expected: 0 to 2, and whole numbers that are 0'
      .. ' unless it is 1)', how, units, charged)
  end
  if check[i].queue then return 'limit of a hold: a queue (expected: no queue)' end
  check.how[i], check.units[i], check.charged[i] = how, units, charged
end

-- The keys of hashes, behind those of the check's limits; how many there are.
local function holds_at(check, i)
  if check.op == 8 then return check.how[i] > 0 end
  return check.op == 2 and floor_div(check.charged_at, 2 ^ (i - 1)) % 2 == 1
end

local function number_held(check)
  local count = 0
  for i = 1, check.count do
    if holds_at(check, i) then
      count = count + 1
      check.held[i] = check.first + check.count + count
    end
  end
  return count
end

-- Two states of one key would overwrite each other.
local function is_twice(first, last)
  for i = first + 1, last do
    for j = first + 1, i - 1 do
      if KEYS[i] and KEYS[j] == KEYS[i] then return true end
    end
  end
end

local function read()
  local input = ARGV[1]
  local checks, at, first, known = {}, 1, 0, {}
  if #KEYS < 1 or #KEYS > 1000 then return nil, 'keys: ' .. #KEYS .. ' (expected: 1 to 1000)' end
  if type(input) ~= 'string' then return nil, 'arguments: 0 (expected: 1)' end
  while at <= #input do
    if #input - at + 1 < HEAD then return nil, 'argument: ' .. #input .. ' bytes, cut off' end
    local op, count, requests, charged_at = struct.unpack('<BBdd', input, at)
    if op < 1 or op > 8 then return nil, 'op: ' .. op .. ' (expected: 1 to 8)' end
    if count < 1 or count > 8 then return nil, 'limits: ' .. count .. ' (expected: 1 to 8)' end
    if not (whole(requests, op >= 7 and 0 or 1, MOST) and whole(charged_at, 0, MOST)
        and (requests == 1 or op <= 2 or op >= 6)) then
      return nil, string.format('requests: %.17g, charged at: %.17g (expected: whole numbers)',
        requests, charged_at)
    end
    local check = {op = op, first = first, count = count, requests = requests,
      charged_at = charged_at}
    local most = requests
    if op == 2 and charged_at > 0 then
      if charged_at >= 2 ^ count then
        return nil, string.format('limits that hold: %.17g (expected: below %d)', charged_at, 2 ^ count)
      end
      check.held = {}
    end
    at = at + HEAD
    if op == 8 then
      local fault = read_holder(check, input, at)
      if fault then return nil, fault end
      at, most = at + HOLDER, requests + charged_at
    end
    if op == 4 or op == 7 then
      local fault = read_life(check, input, at)
      if fault then return nil, fault end
      at = at + NUMBER
      if op == 7 then most = requests + charged_at end
    end
    for i = 1, op == 3 and 0 or count do
      local bytes = string.sub(input, at, at + LIMIT - 1)
      if #bytes < LIMIT then return nil, 'argument: ' .. #input .. ' bytes, cut off' end
      if not known[bytes] then
        local fault
        known[bytes], fault = read_limit(bytes)
        if fault then return nil, fault end
      end
      check[i] = known[bytes]
      if op == 7 and check[i].queue then return nil, 'limit of a lease: a queue (expected: no queue)' end
      if most * check[i].cost > MOST then
        return nil, string.format('cost: %.17g, requests: %.17g (expected: together at most %.0f)',
          check[i].cost, most, MOST)
      end
      at = at + LIMIT
      if op == 8 then
        local fault = read_held(check, i, input, at)
        if fault then return nil, fault end
        at = at + HELD
      elseif check.held and check[i].queue then
        return nil, 'limit that holds: a queue (expected: no queue)'
      end
      if check[i].number == 7 and not holds_at(check, i) then
        return nil, 'concurrency: not held (expected: held)'
      end
      if op == 4 then
        if #input - at + 1 < NUMBER then return nil, 'argument: ' .. #input .. ' bytes, cut off' end
        local mark = struct.unpack('<d', input, at)
        if not whole(mark, -1, COUNTS - 1) then
          return nil, string.format('mark: %.17g (expected: -1, or that of a lease)', mark)
        end
        check.marks[i] = mark
        at = at + NUMBER
      end
    end
    local last = first + count
    if check.held then last = last + number_held(check) end
    if op == 8 and last == first + count then return nil, 'limits that hold: 0 (expected: 1 or more)' end
    if op ~= 3 and count > 1 or check.held then
      if is_twice(first, last) then return nil, 'keys of one check: the same twice' end
    end
    first = last + (op == 5 and 1 or 0)
    checks[#checks + 1] = check
  end
  if first ~= #KEYS then return nil, 'keys: ' .. #KEYS .. ' (expected: ' .. first .. ')' end
  return checks
end
