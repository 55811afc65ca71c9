-- Gives back what an acquisition across slots took here before it was refused elsewhere.
--
-- KEYS     the buckets it took from
-- ARGV[i]  for KEYS[i]: the generation, and per band its kind; for token buckets the denominator,
--          the period, when it would have been full without the take (µs, sub) and the price
--          (µs, sub); for windows the length, 0, the index taken in, 0, the cost, 0
--
-- A token bucket gets back the price, but no more than of it is still owed: what time has refilled
-- since is there already, and giving it again would mint tokens. A window gets back what it still
-- counts. Replies with the number of buckets changed.
local INTERVAL, SLIDING = 2, 3
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local changed = 0
for k = 1, #KEYS do
  local text, value = ARGV[k], redis.pcall('GET', KEYS[k])
  local bands = (#text - 7) / 40
  if type(value) == 'string' and #value == 7 + 20 * bands
      and struct.unpack('>I7', value) == struct.unpack('>I7', text) then
    local parts = { string.sub(value, 1, 7) }
    for b = 1, bands do
      local kind, unit, period, x, xsub, price, psub =
        struct.unpack('>I1I7I6I7I6I7I6', text, 8 + (b - 1) * 40)
      local a, sub, c = struct.unpack('>I7I6I7', value, 8 + (b - 1) * 20)
      if kind <= INTERVAL then
        local seen = now
        if kind == INTERVAL and c <= now then seen = now - (now - c) % period end
        local owed, osub = x + price - seen, xsub + psub
        if osub >= unit then owed, osub = owed + 1, osub - unit end
        if owed > price or (owed == price and osub > psub) then owed, osub = price, psub end
        if owed >= 0 then
          a, sub = a - owed, sub - osub
          if sub < 0 then a, sub = a - 1, sub + unit end
          if a < 0 then a, sub = 0, 0 end
        end
      elseif a == x then
        sub = sub > price and sub - price or 0
      elseif kind == SLIDING and a == x + 1 then
        c = c > price and c - price or 0
      end
      parts[b + 1] = struct.pack('>I7I6I7', a, sub, c)
    end
    redis.call('SET', KEYS[k], table.concat(parts), 'KEEPTTL')
    changed = changed + 1
  end
end
return { changed }
