-- Plays generated traces of acquisitions and refunds with the store's own scripts, on a clock and a key
-- space made up here, and counts the traces in which a refund made a bucket fuller than it is
-- without the take (its twin, from which only the others take).
--
-- ARGV  seed, how many traces, how many acquisitions may wait for their refund at a time
local CONTINUOUS, INTERVAL, SLIDING, FIXED = 1, 2, 3, 4
local state, clock = {}, 0
local made_up = {}
function made_up.call(name, key, value, more)
  if name == 'TIME' then return { math.floor(clock / 1000000), clock % 1000000 } end
  if name == 'GET' then return state[key] or false end
  if name == 'SETRANGE' then value = more end
  state[key] = value
end
made_up.pcall = made_up.call

local function acquire(redis, KEYS, ARGV)
--acquire.lua--
end
local function refund(redis, KEYS, ARGV)
--refund.lua--
end

math.randomseed(tonumber(ARGV[1]))
local random, floor = math.random, math.floor
local band

local function price(cost)
  if band.kind >= SLIDING then return cost, 1 end
  local micros = floor(cost * band.period / band.unit)
  return micros, cost * band.period - micros * band.unit
end

local function shape(cost)
  local micros, sub = price(cost)
  local limit, limitSub = price(band.capacity)
  if band.kind >= SLIDING then limit, limitSub = band.capacity, band.period end
  return struct.pack('>I7', 0) .. struct.pack('>I1I7I6I7I6I7I6', band.kind, limit, limitSub,
    band.kind == SLIDING and band.period or band.kind == FIXED and 1 or band.unit,
    band.kind >= SLIDING and 0 or band.period, micros, sub)
end

local SIMPLE, GENERAL = string.char(1, 1, 1, 1, 0), string.char(0, 1, 1, 0, 1, 1, 0)
local function take(key, cost)
  local simple = band.kind == CONTINUOUS and random(2) == 1
  return acquire(made_up, { key }, { simple and SIMPLE or GENERAL, shape(cost) })
end

local function given(reply, cost)
  local micros, sub = price(cost)
  local unit, period, x, xsub = band.unit, band.period, reply[1] + reply[3], 0
  if band.kind >= SLIDING then
    unit, period, x, sub = band.period, 0, floor(reply[1] / band.period), 0
  else
    if band.kind == INTERVAL or band.unit > 1 then xsub = reply[4] end
    if band.kind == INTERVAL then x = x - reply[5] end
  end
  return struct.pack('>I7I7', 0, reply[1])
    .. struct.pack('>I1I7I6I7I6I7I6', band.kind, unit, period, x, xsub, micros, sub)
end

local function read(key)
  if not state[key] then return 0, 0, 0 end
  return struct.unpack('>I7I6I7', state[key], 8)
end

local function seen(anchor)
  return band.kind == INTERVAL and clock - (clock - anchor) % band.period or clock
end

-- Whether the bucket is fuller than its twin. A take that leaves a full bucket also sets the moments
-- at which it refills: where they are other ones, a bucket may be one refill ahead of its twin.
local function minted()
  local a, b, c = read('bucket')
  local ta, tb, tc = read('twin')
  if band.kind >= SLIDING then
    local index = floor(clock / band.period)
    local function counts(i, count, before)
      if i == index then return count, before end
      if i == index - 1 then return 0, count end
      return 0, 0
    end
    b, c = counts(a, b, c)
    tb, tc = counts(ta, tb, tc)
    return b < tb or (band.kind == SLIDING and c < tc)
  end
  local owed, osub, moved = a - seen(c), b, false
  local towed, tsub = ta - seen(tc), tb
  if band.kind == INTERVAL then moved = owed < 0 or (c - tc) % band.period ~= 0 end
  if owed < 0 then owed, osub = 0, 0 end
  if moved then owed = owed + band.period end
  return owed < towed or (owed == towed and osub < tsub), moved
end

local function pause()
  local token = band.kind >= SLIDING and band.period / 4 or band.period / band.unit
  local choice = random(5)
  if choice == 1 then return 0 end
  if choice == 2 then return random(1, 3) end
  if choice == 3 then return floor(random() * token) end
  if choice == 4 then return floor(random() * token * 4) end
  return floor(random() * token * band.capacity)
end

local function play(most)
  band = { kind = random(4), capacity = random(12), unit = random(5), period = random(3, 2000) }
  if band.kind == CONTINUOUS and random(2) == 1 then band.unit = 1 end
  state, clock = {}, 1794784287000000 + random(1000000)
  local waiting = {}
  for step = 1, random(4, 9) do
    clock = clock + pause()
    local choice = random(3)
    local cost = random(band.capacity)
    if choice == 1 and #waiting < most then
      local reply = take('bucket', cost)
      if reply[2] == 1 then waiting[#waiting + 1] = given(reply, cost) end
    elseif choice == 2 and #waiting > 0 then
      refund(made_up, { 'bucket', 'given back' }, { table.remove(waiting, random(#waiting)) })
      if minted() then return true end
    else
      local reply = take('bucket', cost)
      if reply[2] == 1 and take('twin', cost)[2] ~= 1 and band.kind ~= INTERVAL then return true end
    end
  end
  return false
end

local count, kinds = 0, { 0, 0, 0, 0 }
for trace = 1, tonumber(ARGV[2]) do
  if play(random(tonumber(ARGV[3]))) then
    count = count + 1
    kinds[band.kind] = kinds[band.kind] + 1
  end
end
return { count, kinds[1], kinds[2], kinds[3], kinds[4] }
