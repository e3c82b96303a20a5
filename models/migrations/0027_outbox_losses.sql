-- +goose Up
-- When the queue was last found to have lost its memory. Every row of outbox_sent that was last checked before is due for a
-- check, whatever its check_at: one row changes, however many tasks are in the queue.
CREATE TABLE outbox_losses (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    lost_at   timestamptz NOT NULL
);
INSERT INTO outbox_losses (lost_at) VALUES ('-infinity');

-- checked_at is the instant before the last look into the queue, or of the enqueuing.
ALTER TABLE outbox_sent ADD checked_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE outbox_sent DROP COLUMN checked_at;
DROP TABLE outbox_losses;
