-- Purpose: writes a user's record, if nobody has since the caller read it.
-- KEYS[1]: users of a partition, a hash: identity = ETag and JSON, with a blank between them.
-- ARGV[1]: the identity. ARGV[2]: the record's ETag as the caller read it; empty for none. ARGV[3]: its next ETag.
-- ARGV[4]: its next JSON; empty to delete it.
-- Reply: {1, how many records fewer there are by this call} if it is so now, also by an earlier call; else {0, 0}.
local present = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^%S*')
if present == ARGV[2] then
  if ARGV[4] == '' then return {1, redis.call('HDEL', KEYS[1], ARGV[1])} end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. ARGV[4])
  return {1, 0}
end
return {(present == ARGV[3] or present == '' and ARGV[4] == '') and 1 or 0, 0}
