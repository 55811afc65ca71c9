-- Begins a new generation of a rule or plan: one later than the last, and not before now.
--
-- KEYS[1]  the hash of generations
-- ARGV[1]  the field of the rule or plan
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local generation = last + 1 > now and last + 1 or now
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', generation))
redis.call('HINCRBY', KEYS[1], 'version', 1)
return generation
