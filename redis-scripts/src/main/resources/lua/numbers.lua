-- Whole numbers in doubles: exact as long as every sum and product stays below 2^53.
local MOST = 9007199254740991

local function whole(n, least, most)
  return n >= least and n <= most and n % 1 == 0
end

-- Whether a pace of a units per b microseconds and a capacity of c can be counted: 2 * c * b + a < 2^53.
local function exact(a, b, c)
  return whole(a, 1, MOST) and whole(b, 1, MOST) and whole(c, 1, MOST) and 2 * c * b + a <= MOST
end

local function ceil_div(n, by)
  local rest = n % by
  return rest == 0 and n / by or (n - rest) / by + 1
end

-- How long a key is kept: until what it says means nothing, rounded up to milliseconds.
local function keep(us)
  return math.max(1, math.ceil(us / 1000))
end
