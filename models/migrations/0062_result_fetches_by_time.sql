-- +goose Up
-- The newest answers of the sources of results, for the state of the platform.
CREATE INDEX result_fetches_last_at ON result_fetches (last_at);

-- +goose Down
DROP INDEX result_fetches_last_at;
