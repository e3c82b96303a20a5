-- Takes back what reservations counted, once: a reservation that is gone takes nothing back.
-- KEYS[1] counts of the draw, KEYS[2] its reservations; ARGV: reservation ids.
-- A note is kind;time;n;n names of counts;n amounts. Answers {how many were taken back}.
local taken = 0
for _, id in ipairs(ARGV) do
  local note = redis.call('HGET', KEYS[2], id)
  if note then
    local parts = {}
    for part in string.gmatch(note, '[^;]+') do parts[#parts + 1] = part end
    local n = tonumber(parts[3])
    for i = 4, 3 + n do redis.call('HINCRBY', KEYS[1], parts[i], string.format('%d', -tonumber(parts[i + n]))) end
    redis.call('HDEL', KEYS[2], id)
    taken = taken + 1
  end
end
return {taken}
