-- When an external lottery system is to be told again that a draw is closed; null before the first attempt.
-- +goose Up
ALTER TABLE draws ADD COLUMN external_next_at timestamptz;
CREATE INDEX draws_to_close_outside ON draws (closed_at) WHERE closed_at IS NOT NULL AND external_closed_at IS NULL;

-- +goose Down
DROP INDEX draws_to_close_outside;
ALTER TABLE draws DROP COLUMN external_next_at;
