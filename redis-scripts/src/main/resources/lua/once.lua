-- Check once: the first granted decision is kept for five minutes, and a repeat gets it again without
-- a charge, three times. Then repeats are decided and charged like any request, and the record is not
-- renewed: else a client with one key would be beyond its limit. A refusal is not kept.
-- Value, 60 bytes: 'I', repeats so far: byte; charged at: double, microseconds; the answer, 50 bytes.
-- Cost: one SET PX for the first decision, one SET KEEPTTL for a repeat.
local KEPT_MS, REPEATS, REPLAYED = '300000', 3, 16

local function check_once(check)
  local index = check.first + check.count + 1
  local key, record = KEYS[index], value_of(index)
  if record == nil or record and (string.byte(record) ~= 73 or #record ~= 60) then
    return answer(4, check.count, 0, 0, 0, now, 0, 0)
  end
  local repeats = record and string.byte(record, 2)
  if repeats and repeats < REPEATS then
    local _, _, at, status, limit, granted, remaining, capacity, until_then, retry, wait =
      struct.unpack('<BBdBBdddddd', record)
    written[key] = struct.pack('<BB', 73, repeats + 1) .. string.sub(record, 3)
    redis.call('SET', key, written[key], 'KEEPTTL')
    -- Its place in a queue is the one it got.
    return answer(status + REPLAYED, limit, granted, remaining, capacity, until_then, retry,
      math.max(wait - math.max(now - at, 0), 0))
  end
  local reply, granted = decide(check)
  if granted and not record then
    written[key] = struct.pack('<BBd', 73, 0, now) .. reply
    redis.call('SET', key, written[key], 'PX', KEPT_MS)
  end
  return reply
end
