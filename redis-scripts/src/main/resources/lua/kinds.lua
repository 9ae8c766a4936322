-- The kinds of limit by their number in the argument. Each is made once a call has a limit or a value
-- of it, and is a table of functions of a state st, made for one call from a value or afresh:
--   valid(limit): whether its numbers are ones that the encoder would send
--   fresh(limit, now, old), load(value): a state, where old is that of another limit, or nil; load is
--     nil for what is not a value of this kind. st.held: until when kept units may be used, at most; 0
--     if none are
--   same(st, limit): whether the state means the same under this limit, whatever its capacity
--   arrive(st, limit, now): brings it up to now; st.clamped if that has to be written even so
--   units(st, now): what counts under the limit that wrote it, brought up to now
--   available(st, limit, now), charge(st, limit, now, units): of units that are used at once
--   longest_life(st, limit, now): how long units that are kept now may be used at most; 0 if none may
--     be kept
--   lendable(st, limit, now, life), keep(st, limit, now, units, life): of units that are used within
--     that life; where there is no lendable, as of those that are used at once
--   refund(st, limit, now, units, charged at, life, mark): gives back at most what the charge still
--     occupies, of units that were charged for a life or, if 0, to be used at once; whether any
--   late(st, now, units, at): charges units as if they had been charged at a time that is past, as far
--     as they still count, whether they fit or not; whether any
--   owe(st, limit, now, units, at): as late, as far as they fit
--   span(st), of some kinds: for how long a value of which nothing counts any more still means something
--     to late
--   settle(st, c, units, held), of some kinds: charges units that are used at once, of which so many
--     were held, whether they fit or not; where there is none, as charge
--   reset_at(st, now): when all that counts has gone
--   drained(st, room, now): the least wait until no more than room units count
--   save(st, now): the value
--   stored_until(st), of some kinds: when the key of a value just loaded expires, whatever the time
--     at which it was written; false if that cannot be told from the value
local MAKERS = {make_paced, make_fixed_window, make_sliding_counter, make_sliding_log,
  make_bucket_ring, make_calendar_window, make_concurrency}
local KINDS = {}
-- By the first byte of values; 0 is the record of a check once: ours, but no limit's.
local BY_TAG = {[80] = 1, [70] = 2, [83] = 3, [76] = 4, [82] = 5, [67] = 6, [73] = 0}

local function kind_of(number)
  local kind = KINDS[number]
  if not kind and MAKERS[number] then
    kind = MAKERS[number]()
    KINDS[number] = kind
  end
  return kind
end
