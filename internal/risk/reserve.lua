-- Checks and counts one ticket's lines of one draw, all or nothing.
-- KEYS[1] counts of the draw, KEYS[2] its reservations.
-- ARGV: reservation id, plan, now in ms with the seller and the sale's key (ms@number@key), revision of the draw's limits, number n of counts, then their n names, n amounts to add, n bounds
-- (-1 for none), and for each sliding bound: position of its count, position of the total it slides
-- with, share of it in basis points. Positions count from 1. n is at most some 2,500 (MAX_TICKET_LINES at every
-- level), well below what unpack takes.
-- All amounts are minor units below 2^53, so Lua's doubles hold them exactly.
-- Answers: {'N'} counts not ready or of another plan, or limits of another revision; {'D'} this reservation exists already;
-- {'X'} the draw is closed; {'R', position, limit, counted, ...} refused; {'O', epoch} counted.
local n = tonumber(ARGV[5])
local names, added, bounds, head = 5, 5 + n, 5 + 2 * n, 5
-- Everything is read by one command and written by one: a command for each count costs three times as much.
local counts = redis.call('HMGET', KEYS[1], 'run', 'epoch', 'plan', 'closed', 'rev', unpack(ARGV, names + 1, names + n))
if counts[1] ~= RUN or counts[3] ~= ARGV[2] or (counts[5] or '0') ~= ARGV[4] then return {'N'} end
if counts[4] then return {'X'} end

local sliding = {}
for at = bounds + n + 1, #ARGV, 3 do
  local total = tonumber(counts[head + tonumber(ARGV[at + 1])] or 0)
  sliding[tonumber(ARGV[at])] = math.floor(total * tonumber(ARGV[at + 2]) / 10000)
end

local refused, written = {'R'}, {}
for i = 1, n do
  local counted, bound = tonumber(counts[head + i] or 0), tonumber(ARGV[bounds + i])
  local sum = counted + tonumber(ARGV[added + i])
  if bound >= 0 then
    local limit = bound + (sliding[i] or 0)
    if sum > limit then
      local at = #refused
      refused[at + 1], refused[at + 2], refused[at + 3] = i, limit, counted
    end
  end
  written[2 * i - 1], written[2 * i] = ARGV[names + i], string.format('%d', sum)
end
if #refused > 1 then return refused end
local note = 'r;' .. ARGV[3] .. ';' .. table.concat(ARGV, ';', 5, 5 + 2 * n)
if redis.call('HSETNX', KEYS[2], ARGV[1], note) == 0 then return {'D'} end
if n > 0 then redis.call('HSET', KEYS[1], unpack(written)) end
return {'O', counts[2]}
