-- Writes a revision if no other was written since, and notifies all nodes.
-- KEYS: number of the newest, revisions by number, numbers newest first, audit newest first
-- ARGV: expected number, number, revision, line of the audit, revisions kept, lines kept, channel
if (redis.call('GET', KEYS[1]) or '0') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('LPUSH', KEYS[3], ARGV[2])
while redis.call('LLEN', KEYS[3]) > tonumber(ARGV[5]) do
  redis.call('HDEL', KEYS[2], redis.call('RPOP', KEYS[3]))
end
redis.call('LPUSH', KEYS[4], ARGV[4])
redis.call('LTRIM', KEYS[4], 0, ARGV[6] - 1)
-- A user that may write but not publish has written: other nodes find it by polling.
redis.pcall('PUBLISH', ARGV[7], ARGV[2])
return 1
