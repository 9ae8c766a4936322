-- Purpose: tells the store of bans, and learns of those that sidecars have told since.
-- KEYS[1]: a hash of the bans: a ban's name = its end, which one of its identity's it is, when it is forgotten, and
-- when it began, or was ended (server's time, ms). A ban that is the 0th has been ended before its time.
-- KEYS[2]: a sorted set of their names, scored with when they were told (us), each another time.
-- KEYS[3]: the same, scored with when each is forgotten (ms).
-- ARGV[1]: the time up to which the caller knows all (us); 0 for none. ARGV[2]: the most bans to learn.
-- ARGV[3]: the most bans that the store keeps; of more those go that are forgotten first.
-- ARGV[4...]: for each ban that is told: its name, for how many more ms it lasts, which one it is, in how many ms it
-- is forgotten, and how many ms ago it began, or was ended.
-- Reply: the time up to which the caller knows all now, a text; then of each ban the first four that it was told with,
-- as they are now: negative if it has ended, or is forgotten.
-- Of two bans the later end and the higher number stay. Of a ban and the end of one the later one stays, also if it
-- was told first. So what is told twice, or late, changes nothing. The end of a ban that nobody told of is not kept.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local told_at = t[1] * 1000000 + t[2]
local function text(number)
  return string.format('%.0f', number)
end
local function last(key)
  return tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] or '0')
end
local function read(name)
  local value = redis.call('HGET', KEYS[1], name)
  if not value then return nil end
  local ends, times, forgotten, since = string.match(value, '^(%-?%d+) (%d+) (%-?%d+) (%-?%d+)$')
  return tonumber(ends), tonumber(times), tonumber(forgotten), tonumber(since)
end
local head = last(KEYS[2])
for i = 4, #ARGV, 5 do
  local name, times = ARGV[i], tonumber(ARGV[i + 2])
  local ends, forgotten, since = now + ARGV[i + 1], now + ARGV[i + 3], now - ARGV[i + 4]
  local old_ends, old_times, old_forgotten, old_since = read(name)
  local is_new = old_ends or times > 0
  if old_ends and old_forgotten > now and (times == 0 or old_times == 0) then
    is_new = since > old_since
    forgotten = math.max(forgotten, old_forgotten)
  elseif old_ends and old_forgotten > now then
    -- The way of a message makes it late: by less than a second it is the same ban.
    is_new = times > old_times or ends > old_ends + 1000
    ends, times = math.max(ends, old_ends), math.max(times, old_times)
    forgotten, since = math.max(forgotten, old_forgotten), math.max(since, old_since)
  end
  if is_new then
    head = math.max(told_at, head + 1)
    redis.call('HSET', KEYS[1], name, text(ends) .. ' ' .. text(times) .. ' ' .. text(forgotten) .. ' '
      .. text(since))
    redis.call('ZADD', KEYS[2], text(head), name)
    redis.call('ZADD', KEYS[3], text(forgotten), name)
  end
end
if #ARGV > 3 then
  local gone = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', text(now), 'LIMIT', 0, 1000)
  local beyond = redis.call('ZCARD', KEYS[3]) - #gone - ARGV[3]
  if beyond > 0 then
    gone = redis.call('ZRANGE', KEYS[3], 0, #gone + math.min(beyond, 1000) - 1)
  end
  for _, name in ipairs(gone) do
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
    redis.call('ZREM', KEYS[3], name)
  end
  local kept = text(math.max(1, last(KEYS[3]) - now))
  for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, kept)
  end
end
local known = tonumber(ARGV[1])
head = last(KEYS[2])
-- Beyond the last one: the store has lost some, or forgotten them.
if known > head then known = 0 end
local names = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. text(known), '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local reply = {text(known)}
for i = 1, #names, 2 do
  local ends, times, forgotten = read(names[i])
  reply[1] = text(tonumber(names[i + 1]))
  if ends then
    reply[#reply + 1] = names[i]
    reply[#reply + 1] = ends - now
    reply[#reply + 1] = times
    reply[#reply + 1] = forgotten - now
  end
end
return reply
