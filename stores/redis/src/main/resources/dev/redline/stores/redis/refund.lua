-- Refunds the tokens that an acquisition across slots took here before another slot denied it.
--
-- KEYS     for each bucket: the bucket, and its log of recent refunds
-- ARGV[i]  for bucket i: the generation, the time of the take, and per band its kind; for token
--          buckets the denominator, the period, when it would have been full without the take (µs,
--          sub) and the price (µs, sub); for windows the length, 0, the index of the window, 0, the
--          cost, 0
--
-- A token bucket is refunded the price, but at most the part that is still owed: the rest has been
-- refilled since the take, and a refund of it would mint tokens. Other refunds since the take make
-- the bucket full that much earlier. A window is refunded what it still counts. Replies with the
-- number of changed buckets.
local INTERVAL, SLIDING = 2, 3
local KEPT, KEPT_MILLIS = 64, 60000
local unpack_, pack_ = struct.unpack, struct.pack
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Returns the log to keep, the refunds of each band since a time, and whether the log has them all.
local function given(log, bands, moment)
  local entry, since, all = 7 + 7 * bands, {}, true
  for b = 1, bands do since[b] = 0 end
  if type(log) ~= 'string' then return '', since, true end
  if #log >= KEPT * entry then all = unpack_('>I7', log) < moment end
  for at = 1, #log - entry + 1, entry do
    if unpack_('>I7', log, at) >= moment then
      for b = 1, bands do since[b] = since[b] + unpack_('>I7', log, at + 7 * b) end
    end
  end
  return string.sub(log, #log >= KEPT * entry and entry + 1 or 1), since, all
end

local changed = 0
for i = 1, #ARGV do
  local text, key = ARGV[i], KEYS[2 * i - 1]
  local value, bands = redis.pcall('GET', key), (#text - 14) / 40
  -- A bucket that outlives a change of limits also has the horizon of each band.
  local width = type(value) == 'string' and (#value - 7) / bands
  if (width == 20 or width == 33)
      and unpack_('>I7', value) == unpack_('>I7', text) then
    local taken = unpack_('>I7', text, 8)
    local log, since, all = given(redis.pcall('GET', KEYS[2 * i]), bands, taken)
    local parts, notes, gave = { string.sub(value, 1, 7) }, { log, pack_('>I7', now) }, false
    for b = 1, bands do
      local kind, unit, period, x, xsub, price, psub =
        unpack_('>I1I7I6I7I6I7I6', text, 15 + (b - 1) * 40)
      local from = 8 + (b - 1) * width
      local a, sub, c = unpack_('>I7I6I7', value, from)
      local back = 0
      if kind <= INTERVAL then
        local seen = now
        if kind == INTERVAL and c <= now then seen = now - (now - c) % period end
        x = all and x - since[b] or 0
        -- Without the take it would have been full at the time of the take at the earliest.
        if kind ~= INTERVAL and x < taken then x, xsub = taken, 0 end
        local owed, osub = x + price - seen, xsub + psub
        if osub >= unit then owed, osub = owed + 1, osub - unit end
        if owed > price or (owed == price and osub > psub) then owed, osub = price, psub end
        if owed >= 0 then
          a, sub = a - owed, sub - osub
          if sub < 0 then a, sub = a - 1, sub + unit end
          if a < 0 then a, sub = 0, 0 end
          back = osub > 0 and owed + 1 or owed
        end
      elseif a == x then
        sub = sub > price and sub - price or 0
      elseif kind == SLIDING and a == x + 1 then
        c = c > price and c - price or 0
      end
      gave = gave or back > 0
      notes[b + 2] = pack_('>I7', back)
      parts[b + 1] = pack_('>I7I6I7', a, sub, c) .. string.sub(value, from + 20, from + width - 1)
    end
    redis.call('SET', key, table.concat(parts), 'KEEPTTL')
    if gave then redis.call('SET', KEYS[2 * i], table.concat(notes), 'PX', KEPT_MILLIS) end
    changed = changed + 1
  end
end
return { changed }
