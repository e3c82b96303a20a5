-- +goose Up
-- Finds the tickets of a day, in the order of their list. The id is no substitute: the clock of the process makes it. Neither is a
-- summary of block ranges: updated rows move to the end, and new ones fill their place, so after some weeks each range has many days.
CREATE INDEX tickets_day ON tickets (created_at, id);

-- +goose Down
DROP INDEX tickets_day;
