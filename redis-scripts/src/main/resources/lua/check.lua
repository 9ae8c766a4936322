-- Purpose: decides a whole batch of checks in one call, each atomic, in the order they are given.
-- KEYS: of each check one per limit, all different, and behind them the record's of a check once; at
-- most 1,000, all of one hash tag.
-- ARGV[1], little-endian, times in microseconds, for each check:
--   op: byte, 1 check, 2 peek, 3 reset, 4 refund, 5 check once, 6 debt, 7 lease
--   limits: byte, 1 to 8 (of a reset: keys)
--   requests: double; so many at most, granted first come, first served, each by all limits together
--     or not at all; 1 for ops 3 to 5, of a lease from 0. A debt is of requests that passed undecided:
--     as much of it is charged as still counts and fits
--   charged at: double; when the charge to be refunded was made (the first field of its reply), or
--     those requests passed; of a lease, how many further requests to keep at most; else 0
--   of a refund and a lease, life: double; how long what is kept may be used, at most; of what is
--     refunded, 0 if it was to be used at once
--   for each limit, but not of a reset: kind: byte, 1 paced, 2 fixed window, 3 sliding counter,
--     4 sliding log, 5 bucket ring, 6 calendar window; a, b, c, d: doubles, see the kind; cost:
--     double, the units that each request takes of it; of a refund, mark: double, -1 if there is none,
--     of what was kept that of the lease's reply, of what was granted at once the same less the units
--     that were kept
-- Reply: one string, little-endian: now: double; then for each check, 50 bytes:
--   status: byte, 0 refused, 1 granted in part or whole, 2 done, 3 nothing to do, 4 foreign value;
--     16 more if it is the decision of an earlier check once
--   limit: byte; which limit the figures are about, from 0: the one with the longest wait if it was
--     refused, else the one with the smallest share left
--   granted: requests; remaining, capacity: units; reset at: time; retry after: 0 if all was granted,
--     -1 if never; wait: of the first request granted by a queue. All doubles.
--   Behind all of these, for each lease 80 bytes, doubles: requests kept; their life, which may be
--     shorter; of each limit up to eight its mark, -1 if it has none: what the counter of a paced
--     limit is after all of it was charged.
-- An argument that the encoder would not write: an error that says why; nothing is read or written.
-- Cost: one TIME and one MGET per call, one SET per key charged; an EXISTS per key without a value,
-- but of a new identity's common check, whose SET has NX. Nothing is written on a refusal, unless a
-- stored time has to be clamped because the server's clock has stepped back. Functions that the
-- common check does not need are made only for a call that has another one.
local meters = read_meters(ARGV[1])
local checks, fault, ops, leases
if not meters then
  local read
  read, ops, leases = every_kind()
  checks, fault = read(ARGV[1])
  if not checks then return redis.error_reply('ERR check: ' .. fault) end
end

now = clock()
values = call('MGET', unpack(KEYS))
local replies = {pack('<d', now)}
for i = 1, #(meters or checks) do
  local reply = meters and decide_meter(meters[i], i)
  if not reply then
    if not ops then
      local read
      read, ops, leases = every_kind()
      checks = read(ARGV[1])
    end
    reply = ops[checks[i].op](checks[i])
  end
  replies[i + 1] = reply
end
for i = 1, leases and #leases or 0 do replies[#replies + 1] = leases[i] end
return table.concat(replies)
