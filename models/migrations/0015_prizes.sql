-- What the payment of prizes and the blocking of elements ask for beside what 0012 brought.
-- +goose Up

-- A list of prizes is by the time they were settled; pending and lost tickets, which most are, are not in it.
CREATE INDEX tickets_prizes ON tickets (settled_at DESC, id DESC) WHERE status IN ('won', 'paid');

-- reason and created_by say why an element is blocked, and who did it; a limit from a seed has neither.
ALTER TABLE risk_limits
    ADD COLUMN reason      text NOT NULL DEFAULT '',
    ADD COLUMN created_by  uuid;
CREATE INDEX risk_limits_draw ON risk_limits (draw_id) WHERE draw_id IS NOT NULL;

-- risk_rev counts the changes of limits that name the draw. Its counters carry it, and a process whose limits are
-- of another revision is refused and reads them again: a change holds at once, whatever a process remembers.
ALTER TABLE draws ADD COLUMN risk_rev bigint NOT NULL DEFAULT 0;
CREATE INDEX draws_limits_changed ON draws (draw_time) WHERE risk_rev > 0;

-- +goose Down
DROP INDEX draws_limits_changed;
ALTER TABLE draws DROP COLUMN risk_rev;
DROP INDEX risk_limits_draw;
ALTER TABLE risk_limits DROP COLUMN reason, DROP COLUMN created_by;
DROP INDEX tickets_prizes;
