-- Checks and counts one ticket's lines of one draw, all or nothing (or what fits, when partial).
-- KEYS[1] counters of the draw, KEYS[2] its reservations.
-- ARGV: reservation id, partial (0/1), now in ms, currency, number of levels, the levels' entity
-- numbers, number of lines, then for each line: key, stake, liability, payout in hundredths, least
-- stake, number of bounds, and for each bound: level (1 = root), metric (s/l), base, pct in bps.
-- All amounts are minor units below 2^53, so Lua's doubles hold them exactly.
-- Answers: {'N'} counters not ready; {'D'} this reservation exists already;
-- {'R', line, level, metric, limit, sold, available stake, ...} refused;
-- {'O', epoch, accepted stake of each line, then as for R what a partial sale cut} counted.
local head = redis.call('HMGET', KEYS[1], 'run', 'epoch')
if head[1] ~= RUN then return {'N'} end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {'D'} end

local partial, currency, nlevels = ARGV[2] == '1', ARGV[4], tonumber(ARGV[5])
local prefix = {}
for i = 1, nlevels do prefix[i] = ARGV[5 + i] .. ':' .. currency .. ':' end
local at = 6 + nlevels
local nlines = tonumber(ARGV[at])
at = at + 1

local lines, wanted = {}, {}
for n = 1, nlines do
  local line = {key = ARGV[at], stake = tonumber(ARGV[at + 1]), liability = tonumber(ARGV[at + 2]),
    payout = tonumber(ARGV[at + 3]), least = tonumber(ARGV[at + 4]), bounds = {}}
  local nbounds = tonumber(ARGV[at + 5])
  at = at + 6
  for b = 1, nbounds do
    local level, metric = tonumber(ARGV[at]), ARGV[at + 1]
    line.bounds[b] = {level = level, metric = metric, base = tonumber(ARGV[at + 2]), pct = tonumber(ARGV[at + 3])}
    wanted[#wanted + 1] = prefix[level] .. metric .. ':' .. line.key
    wanted[#wanted + 1] = prefix[level] .. 't'
    at = at + 4
  end
  lines[n] = line
end

local counts = {}
for from = 1, #wanted, 1000 do
  local got = redis.call('HMGET', KEYS[1], unpack(wanted, from, math.min(from + 999, #wanted)))
  for i = 1, #got do counts[from + i - 1] = tonumber(got[i] or 0) end
end

local refused, sold_any, c = {'R'}, false, 1
for n = 1, nlines do
  local line = lines[n]
  local fits = line.stake
  for _, b in ipairs(line.bounds) do
    local sold, total = counts[c], counts[c + 1]
    c = c + 2
    local limit = b.base + math.floor(total * b.pct / 10000)
    local room = math.max(limit - sold, 0)
    local available = room
    if b.metric == 'l' then available = math.floor(room * 100 / line.payout) end
    local need = line.stake
    if b.metric == 'l' then need = line.liability end
    if need > room then
      fits = math.min(fits, available)
      for _, v in ipairs({n, b.level, b.metric, limit, sold, available}) do refused[#refused + 1] = v end
    end
  end
  if partial then
    if fits < line.least then fits = 0 end
    if fits < line.stake then
      line.stake = fits
      line.liability = math.floor(fits * line.payout / 100)
    end
    sold_any = sold_any or fits > 0
  end
end
if #refused > 1 and not (partial and sold_any) then return refused end

local answer, note, sum = {'O', head[2]}, {'r', ARGV[3], currency}, 0
local entities = {}
for i = 1, nlevels do entities[i] = ARGV[5 + i] end
note[4] = table.concat(entities, ',')
for n = 1, nlines do
  local line = lines[n]
  answer[n + 2] = line.stake
  if line.stake > 0 then
    for i = 1, nlevels do
      redis.call('HINCRBY', KEYS[1], prefix[i] .. 's:' .. line.key, line.stake)
      redis.call('HINCRBY', KEYS[1], prefix[i] .. 'l:' .. line.key, line.liability)
    end
    sum = sum + line.stake
    note[#note + 1] = line.key .. '=' .. string.format('%.0f', line.stake) .. '=' .. string.format('%.0f', line.liability)
  end
end
for i = 1, nlevels do redis.call('HINCRBY', KEYS[1], prefix[i] .. 't', sum) end
for i = 2, #refused do answer[#answer + 1] = refused[i] end
redis.call('HSET', KEYS[2], ARGV[1], table.concat(note, ';'))
return answer
