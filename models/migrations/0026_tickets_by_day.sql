-- +goose Up
-- Finds the tickets of a day. Tickets are written in the order of created_at, so that a summary of each range of blocks selects
-- those of a day, and a sale writes no entry. The id is no substitute: it is made by the clock of the process.
CREATE INDEX tickets_day ON tickets USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on);

-- +goose Down
DROP INDEX tickets_day;
