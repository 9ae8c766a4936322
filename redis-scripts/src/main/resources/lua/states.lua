-- The states of the keys of one call: values read at once, and what has been written since, as a key
-- may come in several checks. Cost: an EXISTS per key without a value; one SET per store.
-- The value of a key, false if it has none; nil if it is not a string: MGET does not tell.
local function value_of(index)
  local key = KEYS[index]
  if written[key] ~= nil then return written[key] end
  local value = values[index]
  if not value and redis.call('EXISTS', key) == 1 then return nil end
  return value
end

-- The state of one of a check's limits, as of now; nil if its value is not ours, which nobody may
-- touch. A key without a value has what the first of its former names holds, which stand behind it.
local function state(check, i)
  local limit, former = check[i], i + 1
  local value, kind = value_of(check.first + i), limit.kind
  while value == false and check[former] and check[former].former do
    value, former = value_of(check.first + former), former + 1
  end
  if value == nil then return nil end
  local of = value and kind_of(BY_TAG[string.byte(value)])
  local old = of and of.load(value)
  if value and not old then return nil end
  if old and of == kind and kind.same(old, limit) then
    old.expires = former == i + 1 and kind.stored_until and kind.stored_until(old)
    kind.arrive(old, limit, now)
    return old
  end
  local st = kind.fresh(limit, now, old)
  kind.arrive(st, limit, now)
  if old then
    -- Another limit wrote it: what has been consumed stays consumed. What exceeds the new capacity
    -- is not forgotten, as nothing is written before there is room under the new limit.
    local units = of.units(old, now)
    if units > 0 then
      -- Units of it that are kept may be used later: all count as if they were used last of these.
      local held = old.held
      units = math.min(units, limit.capacity)
      if held > now then
        kind.keep(st, limit, now, units, held - now)
      else
        kind.charge(st, limit, now, units)
      end
      st.of, st.old = of, old
    end
    st.clamped = old.clamped
  end
  return st
end

local function reset_at(kind, st)
  if st.of then return st.of.reset_at(st.old, now) end
  return kind.reset_at(st, now)
end

-- longer: for how many microseconds the value means something after all that it counts has gone, or
-- nothing.
local function store(index, kind, st, longer)
  local key, value = KEYS[index], kind.save(st, now)
  local expires = kind.reset_at(st, now) + (longer or 0)
  if st.expires == expires then
    -- Cheaper than the same expiry anew.
    redis.call('SET', key, value, 'KEEPTTL')
  else
    -- Until what it says means nothing.
    redis.call('SET', key, value, 'PX', format('%d', math.max(1, ceil((expires - now) / 1000))))
  end
  written[key] = value
end
