-- What check.lua needs of all the above: how its argument is read, what is done for each op, and what
-- the leases add to the reply.
return read, {decide, decide, reset, correct, check_once, correct, lease}, leases
