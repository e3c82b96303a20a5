-- Takes back what reservations counted, once: a reservation that is gone takes nothing back.
-- KEYS[1] counters of the draw, KEYS[2] its reservations; ARGV: reservation ids.
-- Answers {how many were taken back}.
local taken = 0
for _, id in ipairs(ARGV) do
  local note = redis.call('HGET', KEYS[2], id)
  if note then
    local parts = {}
    for part in string.gmatch(note, '[^;]+') do parts[#parts + 1] = part end
    local currency, sum = parts[3], 0
    local prefix = {}
    for no in string.gmatch(parts[4], '[^,]+') do prefix[#prefix + 1] = no .. ':' .. currency .. ':' end
    for n = 5, #parts do
      local key, stake, liability = string.match(parts[n], '^(.*)=(%d+)=(%d+)$')
      for i = 1, #prefix do
        redis.call('HINCRBY', KEYS[1], prefix[i] .. 's:' .. key, '-' .. stake)
        redis.call('HINCRBY', KEYS[1], prefix[i] .. 'l:' .. key, '-' .. liability)
      end
      sum = sum + tonumber(stake)
    end
    for i = 1, #prefix do redis.call('HINCRBY', KEYS[1], prefix[i] .. 't', -sum) end
    redis.call('HDEL', KEYS[2], id)
    taken = taken + 1
  end
end
return {taken}
