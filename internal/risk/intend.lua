-- Notes what a cancellation is about to take back, without taking it: the release script does that
-- after the cancellation is committed. KEYS as in reserve; ARGV: reservation id, note.
-- Answers {'N'} counters not ready, {'O', epoch} noted.
local head = redis.call('HMGET', KEYS[1], 'run', 'epoch')
if head[1] ~= RUN then return {'N'} end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return {'O', head[2]}
