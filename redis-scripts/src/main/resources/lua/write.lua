-- Purpose: writes records, the log of changes and the audit in one step, if nobody has written since the caller read.
-- KEYS[1]: the service's policy, a hash: 'audit' = head of the audit.
-- KEYS[2]: a hash: 'head' = version of what is written. Of rules it is KEYS[1], of users their directory.
-- KEYS[3]: the stream of its changes: the version's number-0 = tag, and each object that changed; none if they are many.
-- KEYS[4]: the stream of the audit's entries of a day: the entry's number-0 = the entry.
-- ARGV[1], ARGV[2]: the audit's head as the caller read it, and the next one.
-- ARGV[3], ARGV[4]: the version as the caller read it, NUMBER-TAG, and the next one; both empty if only the audit grows.
-- ARGV[5]: for how many ms the audit's stream lives. ARGV[6]: about how many changes are kept.
-- ARGV[7]: how many records the directory has more ('count'); 0 if it is not to be counted.
-- ARGV[8]: the number of entries of the audit, then of each its number and its text; then of each object its name and
-- its value: empty to delete it, '-' to log the change alone.
-- Reply: {1}, or {0, version, head of the audit} as they are if the caller has to read again; then nothing is written.
-- Cost: two or three reads, a write for each object and entry, and three more.
local head = redis.call('HGET', KEYS[2], 'head') or ''
local audit = redis.call('HGET', KEYS[1], 'audit') or ''
if audit ~= ARGV[1] or ARGV[4] ~= '' and head ~= ARGV[3] then
  return {0, head, audit}
end
local entries = tonumber(ARGV[8])
for i = 9, 7 + 2 * entries, 2 do
  redis.call('XADD', KEYS[4], ARGV[i] .. '-0', 'entry', ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[4], ARGV[5])
redis.call('HSET', KEYS[1], 'audit', ARGV[2])
if ARGV[4] == '' then return {1} end
local number, tag = string.match(ARGV[4], '^(%d+)-(%x+)$')
local log = {'XADD', KEYS[3], 'MAXLEN', '~', ARGV[6], number .. '-0', 'tag', tag}
local first = 9 + 2 * entries
for i = first, #ARGV, 2 do
  if #ARGV - first < 200 then
    log[#log + 1] = 'object'
    log[#log + 1] = ARGV[i]
  end
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[2], ARGV[i])
  elseif ARGV[i + 1] ~= '-' then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[4] .. ' ' .. ARGV[i + 1])
  end
end
redis.call('HSET', KEYS[2], 'head', ARGV[4])
if ARGV[7] ~= '0' then redis.call('HINCRBY', KEYS[2], 'count', ARGV[7]) end
if redis.pcall(unpack(log)).err then -- ahead of the head: all read everything
  redis.call('DEL', KEYS[3])
  redis.call(unpack(log))
end
return {1}
