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
local ops = {decide, decide, reset, correct, check_once, correct, lease}
for i = decided + 1, #checks do
  replies[i + 1] = ops[checks[i].op](checks[i])
end
for i = 1, leases and #leases or 0 do replies[#replies + 1] = leases[i] end
return table.concat(replies)
