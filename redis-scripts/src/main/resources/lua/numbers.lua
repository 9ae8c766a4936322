-- Whole numbers in doubles: exact as long as every sum and product stays below 2^53.
local function whole(n, least, most)
  return n >= least and n <= most and n % 1 == 0
end

-- Whether a pace of a units per b microseconds and a capacity of c can be counted: 2 * c * b + a < 2^53.
local function exact(a, b, c)
  return whole(a, 1, MOST) and whole(b, 1, MOST) and whole(c, 1, MOST) and 2 * c * b + a <= MOST
end

local function floor_div(n, by)
  return (n - n % by) / by
end

local function ceil_div(n, by)
  local rest = n % by
  return rest == 0 and n / by or (n - rest) / by + 1
end

-- Until when units may be used that are kept, as values have it behind their other fields: a double that
-- is left out once that time is over; 0 if there is none.
local function held_behind(value, fields)
  return #value == fields and 0 or (struct.unpack('<d', value, fields + 1))
end

local function with_held(value, held)
  return held > now and value .. struct.pack('<d', held) or value
end

-- Where a window of the clock starts.
local function start_of(now, b, phase) return now - (now - phase) % b end
