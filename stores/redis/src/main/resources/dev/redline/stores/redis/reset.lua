-- Starts a new generation of rules and plans, or publishes a notice that one bucket was deleted. The
-- generation is the current time, and greater than any earlier one.
--
-- KEYS[1]  the hash of generations
-- ARGV[1]  the notice, or an empty text
-- ARGV[2…] the fields of the rules and plans
--
-- The field 'notices' holds the latest notices, each as its number, a space, the text and ';'.
local KEPT, CHUNK = 32768, 500
local time = redis.call('TIME')
local generation = time[1] * 1000000 + time[2]

local function after(field)
  local last = tonumber(redis.call('HGET', KEYS[1], field) or '0')
  if last + 1 > generation then
    generation = last + 1
  end
end

-- The time, not a counter: after a failover that lost resets, a counter would repeat versions.
after('version')
for i = 2, #ARGV do
  after(ARGV[i])
end
if ARGV[1] ~= '' then
  after('noticed')
end
local text = string.format('%.0f', generation)

for from = 2, #ARGV, CHUNK do
  local pairs_ = { 'version', text }
  for i = from, math.min(from + CHUNK - 1, #ARGV) do
    pairs_[#pairs_ + 1] = ARGV[i]
    pairs_[#pairs_ + 1] = text
  end
  redis.call('HSET', KEYS[1], unpack(pairs_))
end
if ARGV[1] ~= '' then
  local notices = redis.call('HGET', KEYS[1], 'notices') or ''
  if #notices > 2 * KEPT then
    notices = string.sub(notices, string.find(notices, ';', #notices - KEPT, true) + 1)
  end
  redis.call('HSET', KEYS[1], 'version', text, 'noticed', text, 'notices', notices .. text .. ' ' .. ARGV[1] .. ';')
end
return generation
