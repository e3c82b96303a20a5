-- The trace that a task belongs to, as the value of a traceparent header.
-- +goose Up
ALTER TABLE outbox ADD trace text;

-- +goose Down
ALTER TABLE outbox DROP COLUMN trace;
