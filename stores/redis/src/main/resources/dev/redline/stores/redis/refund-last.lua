-- Refunds tokens that were acquired and not used, to buckets from which leases are taken.
--
-- KEYS     the buckets
-- ARGV[i]  for bucket i: the generation, and per band its kind; for token buckets the denominator,
--          0, when it was full just after the tokens were acquired (µs, sub) and the price to refund
--          (µs, sub); for windows the length, 0, the index of the window, 0, the cost, 0
--
-- A token bucket is refunded only if it is exactly as the acquisition left it. Another process may
-- have leased tokens since, and relies on the refill that comes first to replace what was acquired
-- before: with a refund, the refill would replace its tokens early, and they would be allowed twice.
-- For the same reason nothing is refunded to a bucket that was reset. What time has refilled is not
-- refunded. A window is refunded what it still counts.
--
-- Replies with the time in µs, and for each bucket the bands that were refunded, as bits.
local INTERVAL, SLIDING = 2, 3
local unpack_, pack_ = struct.unpack, struct.pack
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local reply = { now }

for i = 1, #ARGV do
  local text, key, refunded = ARGV[i], KEYS[i], 0
  local value, bands = redis.pcall('GET', key), (#text - 7) / 40
  -- A bucket that outlives a change of limits also has the horizon of each band.
  local width = type(value) == 'string' and (#value - 7) / bands
  if (width == 20 or width == 33)
      and unpack_('>I7', value) == unpack_('>I7', text) then
    local parts = { string.sub(value, 1, 7) }
    for b = 1, bands do
      local kind, unit, _, x, xsub, price, psub =
        unpack_('>I1I7I6I7I6I7I6', text, 8 + (b - 1) * 40)
      local from, bit = 8 + (b - 1) * width, 2 ^ (b - 1)
      local a, sub, c = unpack_('>I7I6I7', value, from)
      if kind <= INTERVAL then
        if a == x and sub == xsub and a >= now then
          if a - now < price or (a - now == price and sub < psub) then
            a, sub = now, 0
          else
            a, sub = a - price, sub - psub
            if sub < 0 then a, sub = a - 1, sub + unit end
          end
          refunded = refunded + bit
        end
      elseif a == x then
        sub = sub > price and sub - price or 0
        refunded = refunded + bit
      elseif kind == SLIDING and a == x + 1 then
        c = c > price and c - price or 0
        refunded = refunded + bit
      end
      parts[b + 1] = pack_('>I7I6I7', a, sub, c) .. string.sub(value, from + 20, from + width - 1)
    end
    if refunded > 0 then redis.call('SET', key, table.concat(parts), 'KEEPTTL') end
  end
  reply[i + 1] = refunded
end
return reply
