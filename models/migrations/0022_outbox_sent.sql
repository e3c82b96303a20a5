-- +goose Up
-- A task that the queue has and that has not succeeded yet, so that Postgres knows what is due when Redis loses it.
-- The relay moves a row here from outbox, a worker deletes it when its task succeeds, and the sweep puts it back into
-- outbox when the queue does not know the task. Every task passes through, so dead rows are cleaned by number. No index
-- on check_at: a sweep every ten seconds reads a table that is small, and every row would pay for it.
CREATE TABLE outbox_sent (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    payload     jsonb NOT NULL,
    process_at  timestamptz,
    created_at  timestamptz NOT NULL,
    sent_at     timestamptz NOT NULL,
    check_at    timestamptz NOT NULL,
    missed      boolean NOT NULL DEFAULT false -- the last check did not find the task in the queue
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit', 'tasks_lost'));

-- +goose Down
DELETE FROM security_alerts WHERE kind = 'tasks_lost';
ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit'));
INSERT INTO outbox (id, kind, payload, process_at, created_at) SELECT id, kind, payload, process_at, created_at FROM outbox_sent
    ON CONFLICT DO NOTHING;
DROP TABLE outbox_sent;
