-- For tests whose time is not the server's: keys stay as long as a test runs.
local function format()
  return '3600000'
end
