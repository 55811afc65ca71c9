-- Decides a batch of acquisitions in order, each all or nothing, by this server's clock.
--
-- KEYS     the distinct buckets
-- ARGV[1]  the acquisitions. The first byte is 1 if they are simple: one key each that may deny, all
--          bands refilling continuously, and numbers short enough to multiply by 255. These follow
--          as four bytes: index in KEYS and index of the parameters (both from 1), the length of
--          the run of equal acquisitions, 1 for a dry run. The first byte is 3 or 4 if they are also
--          flat: each key occurs in one run, all have one band (3) or three (4), and none is a dry
--          run. These follow in the order of KEYS as two bytes: index of the parameters, length of
--          the run. Others follow as numbers of one byte (first byte 0) or of four (first byte 2):
--          how many keys, the length of the run, 1 for a dry run; then per key its index in KEYS,
--          its parameters, 1 if it never denies (shadow)
-- ARGV[2…] the parameters ("shapes" below), each a bucket's limits and one cost: generation, and per
--          band its kind, the horizon (µs, sub) or limit and window, the denominator or steps, and
--          the price (µs, sub) or cost and quantum. One more byte if buckets outlive a change of
--          limits
--
-- Replies with the time in µs; then for each run how many acquisitions were allowed (-1: a value is
-- malformed), and per key and band the state before the run: debt µs, its sub (unless the
-- denominator is 1) and, of intervals, the phase; or a window's count and, if it slides, the
-- previous one.
--
-- A bucket's value: its generation, then per band three numbers: when full (µs, sub) and the
-- anchor of refill intervals, or window index, count and previous count. Of a first band that
-- refills continuously the third number is the second until which the key is certainly kept, or 0:
-- while that is long enough, the value is replaced without touching the expiry. If nodes with
-- different limits may share the bucket, two more numbers per band: the horizon (µs, sub) it was
-- written under. A debt above that horizon comes from a clock that stepped back, and is clipped; a
-- debt above only the caller's own horizon belongs to larger limits, and is kept.
--
-- Only sums, differences and exact quotients of integers below 2^53; nothing is written before
-- everything that depends on it is decided, and nothing for a dry run.
local KEYS, ARGV, byte, floor, type = KEYS, ARGV, string.byte, math.floor, type
local CONTINUOUS, INTERVAL, SLIDING = 1, 2, 3
local unpack_, pack_, call, pcall_ = struct.unpack, struct.pack, redis.call, redis.pcall

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local items, reply, r = ARGV[1], { now }, 1

-- Flat runs do not depend on each other: each is decided and written before the next, with local
-- variables instead of tables.
if byte(items) == 3 then
  local n, current = #KEYS, 0
  local values = n > 1 and call('MGET', unpack(KEYS)) or { pcall_('GET', KEYS[1]) }
  local gen, kind, limit, lsub, unit, period, price, psub
  for k = 1, n do
    local s, count = byte(items, 2 * k, 2 * k + 1)
    if s ~= current then
      current = s
      gen, kind, limit, lsub, unit, period, price, psub = unpack_('>I7I1I7I6I7I6I7I6', ARGV[s + 1])
    end
    local value = values[k]
    local stored, debt, sub, keep, stepped, passed = gen, 0, 0, 0, false, count
    if value then
      if type(value) == 'table' or #value ~= 27 then
        passed = -1
      else
        local g, full, fsub, c = unpack_('>I7I7I6I7', value)
        if g >= gen then
          stored, keep, debt = g, c, full - now
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
    end
    if passed > 0 then
      local micros, left = debt + price * count, sub + psub * count
      if left >= unit then
        local carry = floor(left / unit)
        micros, left = micros + carry, left - carry * unit
      end
      if micros >= limit and (micros > limit or left > lsub) then
        passed, micros, left = 0, debt, sub
        for i = 1, count do
          local m, l = micros + price, left + psub
          if l >= unit then m, l = m + 1, l - unit end
          if m >= limit and (m > limit or l > lsub) then break end
          micros, left, passed = m, l, i
        end
      end
      if passed > 0 or stepped then
        local full = now + micros
        local needed = floor((full + 1) / 1000000) + 2
        if keep >= needed and keep - needed <= 20 then
          call('SETRANGE', KEYS[k], '7', pack_('>I7I6', full, left))
        else
          keep = needed + (micros < 10000000 and floor(micros / 1000000) + 1 or 10)
          local text, expiry = pack_('>I7I7I6I7', stored, full, left, keep), string.format('%.0f000', keep)
          if value then
            call('SET', KEYS[k], text, 'PXAT', expiry)
          elseif not call('SET', KEYS[k], text, 'NX', 'PXAT', expiry) then
            -- MGET does not tell a value of another type from an absent one.
            passed = -1
          end
        end
      elseif not value and type(pcall_('GET', KEYS[k])) == 'table' then
        passed = -1
      end
    end
    r = r + 1
    reply[r] = passed
    if passed >= 0 then
      r = r + 1
      reply[r] = debt
      if unit > 1 then
        r = r + 1
        reply[r] = sub
      end
    end
  end
  return reply
end

if byte(items) == 4 then
  local n, current = #KEYS, 0
  local values = n > 1 and call('MGET', unpack(KEYS)) or { pcall_('GET', KEYS[1]) }
  local gen, kind, limit1, lsub1, unit1, period, price1, psub1
  local limit2, lsub2, unit2, price2, psub2, limit3, lsub3, unit3, price3, psub3
  for k = 1, n do
    local s, count = byte(items, 2 * k, 2 * k + 1)
    if s ~= current then
      current = s
      local text = ARGV[s + 1]
      gen, kind, limit1, lsub1, unit1, period, price1, psub1 = unpack_('>I7I1I7I6I7I6I7I6', text)
      kind, limit2, lsub2, unit2, period, price2, psub2 = unpack_('>I1I7I6I7I6I7I6', text, 48)
      kind, limit3, lsub3, unit3, period, price3, psub3 = unpack_('>I1I7I6I7I6I7I6', text, 88)
    end
    local value = values[k]
    local stored, keep, stepped, passed = gen, 0, false, count
    local debt1, sub1, debt2, sub2, debt3, sub3 = 0, 0, 0, 0, 0, 0
    if value then
      if type(value) == 'table' or #value ~= 67 then
        passed = -1
      else
        local g, a1, b1, c, a2, b2, unused, a3, b3 = unpack_('>I7I7I6I7I7I6I7I7I6', value)
        if g >= gen then
          stored, keep, debt1, debt2, debt3 = g, c, a1 - now, a2 - now, a3 - now
          if debt1 < 0 then
            debt1 = 0
          else
            sub1 = b1
            if debt1 >= limit1 and (debt1 > limit1 or sub1 > lsub1) then
              debt1, sub1, stepped = limit1, lsub1, true
            end
          end
          if debt2 < 0 then
            debt2 = 0
          else
            sub2 = b2
            if debt2 >= limit2 and (debt2 > limit2 or sub2 > lsub2) then
              debt2, sub2, stepped = limit2, lsub2, true
            end
          end
          if debt3 < 0 then
            debt3 = 0
          else
            sub3 = b3
            if debt3 >= limit3 and (debt3 > limit3 or sub3 > lsub3) then
              debt3, sub3, stepped = limit3, lsub3, true
            end
          end
        end
      end
    end
    if passed > 0 then
      -- Nearly always the whole run is allowed, which takes one step; else one by one.
      local m1, l1, m2, l2, m3, l3 = debt1, sub1, debt2, sub2, debt3, sub3
      local tried = count
      passed = 0
      repeat
        local x1, y1 = m1 + price1 * tried, l1 + psub1 * tried
        local x2, y2 = m2 + price2 * tried, l2 + psub2 * tried
        local x3, y3 = m3 + price3 * tried, l3 + psub3 * tried
        if y1 >= unit1 then
          local carry = floor(y1 / unit1)
          x1, y1 = x1 + carry, y1 - carry * unit1
        end
        if y2 >= unit2 then
          local carry = floor(y2 / unit2)
          x2, y2 = x2 + carry, y2 - carry * unit2
        end
        if y3 >= unit3 then
          local carry = floor(y3 / unit3)
          x3, y3 = x3 + carry, y3 - carry * unit3
        end
        local ok = (x1 < limit1 or (x1 == limit1 and y1 <= lsub1))
          and (x2 < limit2 or (x2 == limit2 and y2 <= lsub2))
          and (x3 < limit3 or (x3 == limit3 and y3 <= lsub3))
        if ok then
          passed = passed + tried
          m1, l1, m2, l2, m3, l3 = x1, y1, x2, y2, x3, y3
        elseif tried > 1 then
          ok, tried = true, 1
        end
      until not ok or passed == count
      if passed > 0 or stepped then
        local longest = m1
        if m2 > longest then longest = m2 end
        if m3 > longest then longest = m3 end
        local needed = floor((now + longest + 1) / 1000000) + 2
        if keep >= needed and keep - needed <= 20 then
          call('SETRANGE', KEYS[k], '7',
            pack_('>I7I6I7I7I6I7I7I6', now + m1, l1, keep, now + m2, l2, 0, now + m3, l3))
        else
          keep = needed + (longest < 10000000 and floor(longest / 1000000) + 1 or 10)
          local text = pack_('>I7I7I6I7I7I6I7I7I6I7', stored, now + m1, l1, keep, now + m2, l2, 0, now + m3, l3, 0)
          local expiry = string.format('%.0f000', keep)
          if value then
            call('SET', KEYS[k], text, 'PXAT', expiry)
          elseif not call('SET', KEYS[k], text, 'NX', 'PXAT', expiry) then
            passed = -1
          end
        end
      elseif not value and type(pcall_('GET', KEYS[k])) == 'table' then
        passed = -1
      end
    end
    r = r + 1
    reply[r] = passed
    if passed >= 0 then
      r = r + 1
      reply[r] = debt1
      if unit1 > 1 then
        r = r + 1
        reply[r] = sub1
      end
      r = r + 1
      reply[r] = debt2
      if unit2 > 1 then
        r = r + 1
        reply[r] = sub2
      end
      r = r + 1
      reply[r] = debt3
      if unit3 > 1 then
        r = r + 1
        reply[r] = sub3
      end
    end
  end
  return reply
end

if byte(items) == 1 then
  local shapes, stride = {}, 1
  for i = 2, #ARGV do
    local text = ARGV[i]
    local n = (#text - 7) / 40
    if n == 1 then
      local gen, kind, limit, lsub, unit, period, price, psub = unpack_('>I7I1I7I6I7I6I7I6', text)
      shapes[i - 1] = { gen, 1, limit, lsub, unit, price, psub }
    else
      local shape = { unpack_('>I7', text), n }
      for b = 1, n do
        local kind, limit, lsub, unit, period, price, psub =
          unpack_('>I1I7I6I7I6I7I6', text, 40 * b - 32)
        local at = 5 * b - 2
        shape[at], shape[at + 1], shape[at + 2], shape[at + 3], shape[at + 4] =
          limit, lsub, unit, price, psub
      end
      shapes[i - 1] = shape
      if n > stride then stride = n end
    end
  end

  local values = #KEYS > 1 and call('MGET', unpack(KEYS)) or {}
  -- The debt of band b of key k stands at (k - 1) * stride + b; M and S hold what it would become.
  local M, S = {}, {}
  local A, B, generation, kept, owner, dirty = {}, {}, {}, {}, {}, {}
  local stepped = false
  for p = 2, #items, 4 do
    local k, s, count, dry = byte(items, p, p + 3)
    local shape, base, gen = shapes[s], (k - 1) * stride, generation[k]
    local n = shape[2]
    if gen == nil then
      -- What is no text is absent to MGET; only GET tells one from the other.
      local value = values[k] or pcall_('GET', KEYS[k])
      gen, owner[k] = shape[1], shape
      local known, keep = false, 0
      if value then
        if type(value) == 'table' or #value ~= 7 + 20 * n then
          gen = false
        else
          local stored, a, sub, c = unpack_('>I7I7I6I7', value)
          if stored >= gen then
            gen, known, keep = stored, true, c
            local a2, sub2, a3, sub3
            if n > 1 then
              a2, sub2, c, a3, sub3 = unpack_(n > 2 and '>I7I6I7I7I6' or '>I7I6', value, 28)
            end
            for b = 1, n do
              if b == 2 then
                a, sub = a2, sub2
              elseif b == 3 then
                a, sub = a3, sub3
              elseif b > 3 then
                a, sub = unpack_('>I7I6', value, 20 * b - 12)
              end
              local debt, at = a - now, 5 * b - 2
              if debt < 0 then
                debt, sub = 0, 0
              elseif debt >= shape[at] and (debt > shape[at] or sub > shape[at + 1]) then
                debt, sub = shape[at], shape[at + 1]
                stepped = stepped or {}
                stepped[k] = true
              end
              A[base + b], B[base + b] = debt, sub
            end
          end
        end
      end
      if gen and not known then
        for at = base + 1, base + n do A[at], B[at] = 0, 0 end
      end
      generation[k], kept[k] = gen, keep
    end
    if not gen then
      r = r + 1
      reply[r] = -1
    else
      local passedAt, passed, tried = r + 1, 0, count
      if stepped and stepped[k] and dry == 0 then dirty[k] = true end
      r = passedAt
      reply[r] = 0
      for b = 1, n do
        r = r + 1
        reply[r] = A[base + b]
        if shape[5 * b] > 1 then
          r = r + 1
          reply[r] = B[base + b]
        end
      end
      -- Nearly always the whole run is allowed, which takes one step; else one by one.
      repeat
        local ok = true
        for b = 1, n do
          local at = 5 * b - 2
          local micros, sub = A[base + b] + shape[at + 3] * tried, B[base + b] + shape[at + 4] * tried
          if sub > 0 then
            local carry = floor(sub / shape[at + 2])
            micros, sub = micros + carry, sub - carry * shape[at + 2]
          end
          if micros >= shape[at] and (micros > shape[at] or sub > shape[at + 1]) then
            ok = false
            break
          end
          M[b], S[b] = micros, sub
        end
        if ok then
          passed = passed + tried
          if dry == 0 then
            dirty[k] = true
            for b = 1, n do A[base + b], B[base + b] = M[b], S[b] end
          end
        elseif tried > 1 then
          ok, tried = true, 1
        end
      until not ok or passed == count
      reply[passedAt] = passed
    end
  end

  for k = 1, #KEYS do
    if dirty[k] then
      local base, n, longest = (k - 1) * stride, owner[k][2], 0
      for at = base + 1, base + n do
        if A[at] > longest then longest = A[at] end
      end
      -- A second longer than needed and then as long again, so that it seldom has to be set.
      local needed, keep = floor((now + longest + 1) / 1000000) + 2, kept[k]
      local fits = keep >= needed and keep - needed <= 20
      if not fits then keep = needed + (longest < 10000000 and floor(longest / 1000000) + 1 or 10) end
      local value
      if n == 1 then
        value = pack_('>I7I7I6I7', generation[k], now + A[base + 1], B[base + 1], keep)
      elseif n == 3 then
        value = pack_('>I7I7I6I7I7I6I7I7I6I7', generation[k], now + A[base + 1], B[base + 1], keep,
          now + A[base + 2], B[base + 2], 0, now + A[base + 3], B[base + 3], 0)
      else
        -- Joined at the end: joining band by band copies the value as often as it has bands.
        local parts = { pack_('>I7I7I6I7', generation[k], now + A[base + 1], B[base + 1], keep) }
        for b = 2, n do
          parts[b] = pack_('>I7I6I7', now + A[base + b], B[base + b], 0)
        end
        value = table.concat(parts)
      end
      if fits then
        call('SETRANGE', KEYS[k], '0', value)
      else
        call('SET', KEYS[k], value, 'PXAT', string.format('%.0f000', keep))
      end
    end
  end
  return reply
end

local shapes, stride = {}, 1
for i = 2, #ARGV do
  local text = ARGV[i]
  local n = floor((#text - 7) / 40)
  local shape = { gen = unpack_('>I7', text), n = n, shared = #text > 7 + 40 * n }
  for b = 1, n do
    local band = { unpack_('>I1I7I6I7I6I7I6', text, 8 + (b - 1) * 40) }
    local kind = band[1]
    band.words = kind == INTERVAL and 3 or (kind == SLIDING or (kind == CONTINUOUS and band[4] > 1)) and 2 or 1
    shape[b] = band
  end
  if n > stride then stride = n end
  shapes[i - 1] = shape
end

local item, itemsEnd = {}, 0
local width = byte(items) == 2 and 4 or 1
for p = 2, #items, width do
  itemsEnd = itemsEnd + 1
  item[itemsEnd] = width == 1 and byte(items, p) or unpack_('>I4', items, p)
end

-- The state of band b of key k is at index k * stride + b: the value as of now, rolled and
-- clipped, and the horizon to clip it to.
local A, B, C, H, HS = {}, {}, {}, {}, {}
local loaded, stepped, dirty, owner, generation = {}, {}, {}, {}, {}

-- Advances a state to the current time; returns whether the clock stepped back since the write.
local function view(at, band)
  local kind, a, b, c = band[1], A[at], B[at], C[at]
  if kind <= INTERVAL then
    local phase, seen = 0, now
    if kind == INTERVAL then
      if c > now then seen = c else phase = (now - c) % band[5]; seen = now - phase end
    end
    local debt = a - seen
    if debt < 0 or (debt == 0 and b == 0) then
      A[at], B[at], C[at] = 0, 0, 0
      return false
    end
    local beyond = debt > H[at] or (debt == H[at] and b > HS[at])
    if beyond then debt, b = H[at], HS[at] end
    A[at], B[at], C[at] = debt, b, phase
    return beyond or seen > now
  end
  local index = floor(now / band[3])
  if a < index then
    if a == index - 1 and kind == SLIDING then c, b = b, 0 else b, c = 0, 0 end
  end
  A[at], B[at], C[at] = b, c, 0
  return a > index
end

local function load(k, shape)
  loaded[k], owner[k], generation[k] = true, shape, shape.gen
  local value, base, bytes = pcall_('GET', KEYS[k]), k * stride, shape.shared and 33 or 20
  if type(value) == 'table' or (value and #value ~= 7 + bytes * shape.n) then
    loaded[k] = false
    return
  end
  if not value or unpack_('>I7', value) < shape.gen then
    for b = 1, shape.n do A[base + b], B[base + b], C[base + b] = 0, 0, 0 end
    return
  end
  generation[k] = unpack_('>I7', value)
  for b = 1, shape.n do
    local at, from = base + b, 8 + (b - 1) * bytes
    A[at], B[at], C[at] = unpack_('>I7I6I7', value, from)
    if shape.shared then
      H[at], HS[at] = unpack_('>I7I6', value, from + 20)
    else
      H[at], HS[at] = shape[b][2], shape[b][3]
    end
    if view(at, shape[b]) then stepped[k] = true end
  end
end

local function admits(at, band)
  local kind = band[1]
  if kind <= INTERVAL then
    local micros, sub = A[at] + band[6], B[at] + band[7]
    if sub >= band[4] then micros, sub = micros + 1, sub - band[4] end
    return micros < band[2] or (micros == band[2] and sub <= band[3])
  elseif kind == SLIDING then
    -- By quotients, because larger limits may have counted so much that products are not exact.
    local steps = band[4]
    local left, room = steps - floor((now % band[3]) / band[7]), (band[2] - A[at] - band[6]) * steps
    return room >= 0 and (B[at] == 0 or left <= floor(room / B[at]))
  end
  return A[at] + band[6] <= band[2]
end

local function take(at, band)
  if band[1] <= INTERVAL then
    local micros, sub = A[at] + band[6], B[at] + band[7]
    if sub >= band[4] then micros, sub = micros + 1, sub - band[4] end
    A[at], B[at], H[at], HS[at] = micros, sub, band[2], band[3]
  else
    A[at] = A[at] + band[6]
  end
end

local p = 1
while p <= itemsEnd do
  local n, count, dry = item[p], item[p + 1], item[p + 2]
  local first = p + 3
  p = first + 3 * n
  local readable = true
  for at = first, p - 3, 3 do
    local k = item[at]
    if loaded[k] == nil then load(k, shapes[item[at + 1]]) end
    readable = readable and loaded[k]
  end
  r = r + 1
  local passedAt = r
  if not readable then
    reply[r] = -1
  else
    for at = first, p - 3, 3 do
      local k, shape = item[at], shapes[item[at + 1]]
      if stepped[k] and dry == 0 then dirty[k] = true end
      for b = 1, shape.n do
        local words, at = shape[b].words, k * stride + b
        reply[r + 1] = A[at]
        if words > 1 then reply[r + 2] = B[at] end
        if words > 2 then reply[r + 3] = C[at] end
        r = r + words
      end
    end
    local passed = 0
    repeat
      local ok, passes = true, {}
      for at = first, p - 3, 3 do
        local k, shape, pass = item[at], shapes[item[at + 1]], true
        for b = 1, shape.n do
          pass = pass and admits(k * stride + b, shape[b])
        end
        passes[at] = pass
        ok = ok and (pass or item[at + 2] == 1)
      end
      if not ok then break end
      passed = passed + 1
      if dry == 0 then
        for at = first, p - 3, 3 do
          if passes[at] then
            local k, shape = item[at], shapes[item[at + 1]]
            for b = 1, shape.n do take(k * stride + b, shape[b]) end
            dirty[k] = true
          end
        end
      end
    until passed == count
    reply[passedAt] = passed
  end
end

for k in pairs(dirty) do
  local shape, base, expiry = owner[k], k * stride, now
  local parts = { pack_('>I7', generation[k]) }
  for b = 1, shape.n do
    local band, at = shape[b], base + b
    local kind, a, sub, c, ends = band[1], A[at], B[at], C[at], now
    if kind <= INTERVAL then
      local seen = now - c
      a, c = seen + a, kind == INTERVAL and seen or 0
      ends = a + 1
      if kind == INTERVAL then ends = seen + (floor((a - seen) / band[5]) + 1) * band[5] end
    else
      a, sub, c = floor(now / band[3]), a, sub
      ends = (a + (kind == SLIDING and 2 or 1)) * band[3]
    end
    parts[#parts + 1] = pack_('>I7I6I7', a, sub, c)
    if shape.shared then parts[#parts + 1] = pack_('>I7I6', H[at] or 0, HS[at] or 0) end
    if ends > expiry then expiry = ends end
  end
  call('SET', KEYS[k], table.concat(parts), 'PXAT', floor(expiry / 1000) + 1001)
end
return reply
