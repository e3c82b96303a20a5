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

local lines, fields = {}, {}
for i = 1, nlevels do fields[i] = prefix[i] .. 't' end
for n = 1, nlines do
  local line = {key = ARGV[at], stake = tonumber(ARGV[at + 1]), liability = tonumber(ARGV[at + 2]),
    payout = tonumber(ARGV[at + 3]), least = tonumber(ARGV[at + 4]), bounds = {}}
  for i = 1, nlevels do
    fields[#fields + 1] = prefix[i] .. 's:' .. line.key
    fields[#fields + 1] = prefix[i] .. 'l:' .. line.key
  end
  local nbounds = tonumber(ARGV[at + 5])
  at = at + 6
  for b = 1, nbounds do
    line.bounds[b] = {level = tonumber(ARGV[at]), metric = ARGV[at + 1], base = tonumber(ARGV[at + 2]), pct = tonumber(ARGV[at + 3])}
    at = at + 4
  end
  lines[n] = line
end

-- Everything is read by one command and written by one: a command a counter costs three times as much.
local counts = {}
for from = 1, #fields, 1000 do
  local got = redis.call('HMGET', KEYS[1], unpack(fields, from, math.min(from + 999, #fields)))
  for i = 1, #got do counts[from + i - 1] = tonumber(got[i] or 0) end
end
-- The counters of line n begin behind the levels' totals: at each level its stake, then its liability.
local function before(n) return nlevels + (n - 1) * nlevels * 2 end

local refused, sold_any = {'R'}, false
for n = 1, nlines do
  local line = lines[n]
  local fits = line.stake
  for _, b in ipairs(line.bounds) do
    local at = before(n) + b.level * 2
    if b.metric == 's' then at = at - 1 end
    local sold, total = counts[at], counts[b.level]
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
    local first = before(n)
    for p = first + 1, first + nlevels * 2, 2 do
      counts[p], counts[p + 1] = counts[p] + line.stake, counts[p + 1] + line.liability
    end
    sum = sum + line.stake
    note[#note + 1] = line.key .. '=' .. string.format('%d', line.stake) .. '=' .. string.format('%d', line.liability)
  end
end
for i = 1, nlevels do counts[i] = counts[i] + sum end
local written = {}
for i = 1, #fields do
  written[#written + 1] = fields[i]
  written[#written + 1] = string.format('%d', counts[i])
  if #written == 1000 or i == #fields then
    redis.call('HSET', KEYS[1], unpack(written))
    written = {}
  end
end
for i = 2, #refused do answer[#answer + 1] = refused[i] end
redis.call('HSET', KEYS[2], ARGV[1], table.concat(note, ';'))
return answer
