-- The clock of tests alone: time is the second argument.
local now = tonumber(ARGV[2])
