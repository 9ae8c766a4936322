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

-- How long a key is kept, in milliseconds: so many microseconds, rounded up, and one more, as the
-- server counts from the start of the current one.
local function keep(us)
  return math.max(1, math.ceil(us / 1000) + 1)
end

-- Until when a paced state is kept that is paid for at a time: to the end of the period, as long as
-- the limit's memory, in which that time lies. So the writes of one period keep the expiry of its
-- first, which is cheaper by a third, and a key outlives its meaning by less than its memory.
local function kept_until(paid_at, a, b, c)
  local memory = ceil_div(c * b, a)
  return ceil_div(paid_at, memory) * memory
end
