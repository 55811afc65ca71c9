-- Decides one acquisition of one key with one band that refills continuously; not a dry run. Most
-- calls of a store with little load are of this kind. Decides, writes and replies as acquire.lua
-- does, which documents the formats.
--
-- KEYS[1]  the bucket
-- ARGV[1]  its parameters
local floor, call = math.floor, redis.call
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local gen, kind, limit, lsub, unit, period, price, psub = struct.unpack('>I7I1I7I6I7I6I7I6', ARGV[1])
local value = redis.pcall('GET', KEYS[1])
local debt, sub, keep, stepped = 0, 0, 0, false
if value then
  if type(value) == 'table' or #value ~= 27 then return { now, -1 } end
  local stored, full, fsub, c = struct.unpack('>I7I7I6I7', value)
  if stored >= gen then
    gen, keep, debt = stored, c, full - now
    if debt < 0 then
      debt = 0
    else
      sub = fsub
      if debt >= limit and (debt > limit or sub > lsub) then
        debt, sub, stepped = limit, lsub, true
      end
    end
  end
end
local micros, left, passed = debt + price, sub + psub, 1
if left >= unit then micros, left = micros + 1, left - unit end
if micros >= limit and (micros > limit or left > lsub) then
  micros, left, passed = debt, sub, 0
end
if passed == 1 or stepped then
  local full = now + micros
  local needed = floor((full + 1) / 1000000) + 2
  if keep >= needed and keep - needed <= 20 then
    call('SETRANGE', KEYS[1], '7', struct.pack('>I7I6', full, left))
  else
    keep = needed + (micros < 10000000 and floor(micros / 1000000) + 1 or 10)
    call('SET', KEYS[1], struct.pack('>I7I7I6I7', gen, full, left, keep), 'PXAT', string.format('%.0f000', keep))
  end
end
if unit > 1 then return { now, passed, debt, sub } end
return { now, passed, debt }
