-- What check.lua needs of all the above: how its argument is read, what is done for each op, and what
-- the leases of this call add to its reply.
local leases_made
local function lease(check)
  leases_made = leases_made or lease_of_every_kind()
  return leases_made(check)
end
return read, {decide, decide, reset, correct, check_once, correct, lease}, leases
