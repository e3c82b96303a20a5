-- What the lists of tickets and prizes read of a table of millions. No sale enters more indexes than before, but for tickets_pending.
-- +goose Up
-- The tickets of a day of a part of the organisation are counted in the index alone.
DROP INDEX tickets_day;
CREATE INDEX tickets_day ON tickets (created_at, id) INCLUDE (entity_id);

-- The prizes of one ticket point or agency, newest first, with what their counts and sums read.
CREATE INDEX tickets_prizes_entity ON tickets (entity_id, settled_at DESC, id DESC) INCLUDE (status, currency_id, prize, expires_at, expired_at) WHERE status IN ('won', 'paid');

-- The tickets whose draws are not decided: few, and the last of the table.
CREATE INDEX tickets_pending ON tickets (entity_id, id DESC) WHERE status = 'pending';

-- +goose Down
DROP INDEX tickets_pending;
DROP INDEX tickets_prizes_entity;
DROP INDEX tickets_day;
CREATE INDEX tickets_day ON tickets (created_at, id);
