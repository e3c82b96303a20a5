-- A receivable that was collected is owed back when the correction behind it is taken back.
-- +goose Up
CREATE INDEX prize_differences_collected ON prize_differences (ticket_id) WHERE status = 'settled' AND due = 0;

-- +goose Down
DROP INDEX prize_differences_collected;
