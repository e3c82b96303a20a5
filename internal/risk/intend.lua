-- Notes what a cancellation is about to take back, without taking it: the release script does that
-- after the cancellation is committed. KEYS as in reserve; ARGV: note's id, plan, note.
-- Answers {'N'} counts not ready or of another plan, {'O', epoch} noted.
local head = redis.call('HMGET', KEYS[1], 'run', 'epoch', 'plan')
if head[1] ~= RUN or head[3] ~= ARGV[2] then return {'N'} end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return {'O', head[2]}
