-- Check once: the first granted decision is kept for five minutes, and a repeat of the same cost gets it
-- again without a charge, three times. Then repeats are decided and charged like any request, and the
-- record is not renewed: else a client with one key would be beyond its limit. A refusal is not kept. A
-- check of another cost is not decided while the record is there: one unit must not pay for many.
-- Value, 60 bytes: 'I', repeats so far: byte; charged at: double, microseconds; the answer, 50 bytes, in
-- which the cost stands in the place of retry after, which is 0 of what was granted. That of several
-- limits is below 0: a hash of their costs in their order, without those that are that of the limit
-- before. So a repeat is one under more limits of the same costs, also under former names.
-- A cost of 0 was written by a version that kept none, and one above 0 of several limits by a version
-- that kept that of the first. Those versions read these records too: below 0 is none to them.
-- Cost: one SET PX for the first decision, one SET KEEPTTL for a repeat.
local KEPT_MS, REPEATS, REPLAYED = '300000', 3, 16

local function hash_of_costs(check)
  local costs, last = '', nil
  for i = 1, check.count do
    if check[i].cost ~= last then
      last = check[i].cost
      costs = costs .. struct.pack('<d', last)
    end
  end
  return -1 - tonumber(string.sub(redis.sha1hex(costs), 1, 12), 16)
end

local function check_once(check)
  local index = check.first + check.count + 1
  local key, record = KEYS[index], value_of(index)
  if record == nil or record and (string.byte(record) ~= 73 or #record ~= 60) then
    return answer(4, check.count, 0, 0, 0, now, 0, 0)
  end
  if record then
    local _, repeats, at, status, limit, granted, remaining, capacity, until_then, paid, wait =
      struct.unpack('<BBdBBdddddd', record)
    if paid > 0 and paid ~= check[1].cost or paid < 0 and paid ~= hash_of_costs(check) then
      return answer(5, 0, 0, 0, 0, now, 0, 0)
    end
    if repeats >= REPEATS then return (decide(check)) end
    written[key] = struct.pack('<BB', 73, repeats + 1) .. string.sub(record, 3)
    redis.call('SET', key, written[key], 'KEEPTTL')
    -- Its place in a queue is the one it got. The rule may have fewer limits than it had then.
    return answer(status + REPLAYED, math.min(limit, check.count - 1), granted, remaining, capacity, until_then, 0,
      math.max(wait - math.max(now - at, 0), 0))
  end
  local reply, granted = decide(check)
  if granted then
    written[key] = struct.pack('<BBd', 73, 0, now) .. string.sub(reply, 1, 34)
      .. struct.pack('<d', check.count == 1 and check[1].cost or hash_of_costs(check)) .. string.sub(reply, 43)
    redis.call('SET', key, written[key], 'PX', KEPT_MS)
  end
  return reply
end
