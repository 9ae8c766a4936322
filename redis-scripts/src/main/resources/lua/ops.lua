-- The long way: what short_way.lua has not decided.
local checks, fault = read()
if not checks then return redis.error_reply('ERR check: ' .. fault) end
if not values then
  values, written, replies = call('MGET', unpack(KEYS)), {}, {pack('<d', now)}
end
local lease_made
local function lease(check)
  lease_made = lease_made or make_lease()
  return lease_made(check)
end
local hold_made
local function hold(check)
  hold_made, holds = hold_made or make_hold(), holds or {}
  return hold_made(check)
end
local ops = {decide, decide, reset, correct, check_once, correct, lease, hold}
for i = decided + 1, #checks do
  replies[i + 1] = (checks[i].held and hold or ops[checks[i].op])(checks[i])
end
for i = 1, leases and #leases or 0 do replies[#replies + 1] = leases[i] end
for i = 1, holds and #holds or 0 do replies[#replies + 1] = holds[i] end
return table.concat(replies)
