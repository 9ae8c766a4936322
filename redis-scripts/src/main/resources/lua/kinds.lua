-- The longest window, 2^51 microseconds or 71 years: now and four of them stay below 2^53.
local LONGEST = 2251799813685248

-- The longest that units may be kept, 2^24 - 1 microseconds or 16 seconds: 3 bytes of a value.
local LONGEST_LIFE = 16777215

local function floor_div(n, by)
  return (n - n % by) / by
end

-- The kinds of limit by their number in the argument, and by the first byte of their values. Each is
-- a table of functions of a state st, made for one call from a value or afresh:
--   valid(limit): whether its numbers are ones that the encoder would send
--   fresh(limit, now, old), load(value): a state, where old is that of another limit, or nil; load is
--     nil for what is not a value of this kind
--   same(st, limit): whether the state means the same under this limit, whatever its capacity
--   arrive(st, limit, now): brings it up to now; st.clamped if that has to be written even so
--   units(st, now): what counts under the limit that wrote it, brought up to now
--   available(st, limit, now), charge(st, limit, now, units)
--   refund(st, limit, now, units, charged at, life, mark): gives back at most what the charge still
--     occupies, of units that were charged for a life or, if 0, to be used at once; whether any
--   owe(st, limit, now, units, at): charges units as if they had been charged at a time that is past,
--     as far as they still count and fit; whether any
--   reset_at(st, now): when all that counts has gone
--   drained(st, room, now): the least wait until no more than room units count
--   save(st, now): the value
--   stored_until(st), of some kinds: when the key of a value just loaded expires, whatever the time
--     at which it was written; false if that cannot be told from the value
local KINDS, BY_TAG = {}, {}
