-- Purpose: decides a whole batch of checks in one call, each atomic, in the order they are given.
-- KEYS: of each check one per limit, all different, and behind them the record's of a check once, or of
-- each limit that holds the hash of what is held; at most 1,000, all of one hash tag.
-- ARGV[1], little-endian, times in microseconds, for each check:
--   op: byte, 1 check, 2 peek, 3 reset, 4 refund, 5 check once, 6 debt, 7 lease,
--     8 hold
--   limits: byte, 1 to 8 (of a reset: keys)
--   requests: double; so many at most, granted first come, first served, each by all limits together
--     or not at all; 1 for ops 3 to 5, of a lease and a hold from 0. A debt is of requests that passed undecided:
--     as much of it is charged as still counts and fits
--   charged at: double; when the charge to be refunded was made (the first field of its reply), or
--     those requests passed; of a lease and a hold, how many further requests to keep at most; of a
--     peek, the sum of 2^(i - 1) over each limit i that holds; else 0
--   of a hold: life: double, how long its records are kept; holder: 8 bytes; sequence: double, from 1,
--     higher in each message of a holder
--   of a refund and a lease, life: double; how long what is kept may be used, at most; of what is
--     refunded, 0 if it was to be used at once
--   for each limit, but not of a reset: kind: byte, 1 paced, 2 fixed window, 3 sliding counter,
--     4 sliding log, 5 bucket ring, 6 calendar window, 7 concurrency (of a hold or a peek); 64 more if its key is a former name of the
--     limit before it, which has that key's state until it has a value; a, b, c, d: doubles, see the
--     kind; cost: double, the units that each request takes of it; of a refund, mark: double, -1 if there is none,
--     of what was kept that of the lease's reply, of what was granted at once the same less the units
--     that were kept; of a hold, how: byte, 0 it is charged at once, 1 held, 2 held and this holder may
--     have no record yet; units that the holder holds: double; units that it has charged since it
--     began: double; both 0 if there may be no record
-- Reply: one string, little-endian: now: double; then for each check, 50 bytes:
--   status: byte, 0 refused, 1 granted in part or whole, 2 done, 3 nothing to do, 4 foreign value,
--     5 a check once whose record is of another cost; 16 more if it is the decision of an earlier check once
--   limit: byte; which limit the figures are about, from 0: the one with the longest wait if it was
--     refused, else the one with the smallest share left
--   granted: requests; remaining, capacity: units; reset at: time; retry after: 0 if all was granted,
--     -1 if never; wait: of the first request granted by a queue, or of
--     limits that hold the units held of this one. All doubles. Retry after is 0, too, if it is only
--     units that are held which stand in the way.
--   Behind all of these, for each lease 80 bytes, doubles: requests kept; their life, which may be
--     shorter; of each limit up to eight its mark, -1 if it has none: what the counter of a paced
--     limit is after all of it was charged. Then for each hold 16 bytes: requests kept: double; of
--     each limit up to eight what became of its holder's numbers: byte, 0 it does not hold, 1 applied,
--     2 older than its record, 3 forgotten, as there is no record: of these nothing is granted.
-- An argument that the encoder would not write: an error that says why; nothing is read or written.
-- Cost: one TIME and one MGET per call, one SET per key charged; an EXISTS per key without a value,
-- but of a new identity's common check, whose SET has NX. Nothing is written on a refusal, unless a
-- stored time has to be clamped because the server's clock has stepped back.
-- Redis runs all of this anew for each call, and makes each function anew that it comes to. So what is
-- common is decided first, by short_way.lua, and a call that has nothing else ends there; of the rest a
-- kind of limit is made when a call has one.
local call, pack, unpack_struct = redis.call, struct.pack, struct.unpack
local byte, sub, ceil = string.byte, string.sub, math.ceil
-- Writes for how many milliseconds a key is kept: a text is cheaper to pass on than a number.
local format = string.format
-- The longest window is 2^51 microseconds or 71 years: now and four of them stay below 2^53. The
-- longest that units may be kept is 2^24 - 1 microseconds or 16 seconds: 3 bytes of a value. Of units
-- granted, values count 2^40.
local MOST, LONGEST, LONGEST_LIFE, COUNTS = 9007199254740991, 2251799813685248, 16777215, 1099511627776
local keys, input, decided = KEYS, ARGV[1] or '', 0
local count = #keys
-- The values of the keys as they were read, by number; and those that this call has written since, by
-- key, as a key may come more than once. False stands for no value. Both are nil until they are needed.
local values, written
-- The reply in parts, and what the leases of this call add to it, in their order; nil as above.
local replies, leases, holds
