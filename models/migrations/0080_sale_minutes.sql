-- +goose Up
-- Tickets sold by minute, of the last two hours. They are counted with the totals, so that no sampler counts tickets.
CREATE TABLE sale_minutes (
    minute  timestamptz PRIMARY KEY,
    tickets bigint NOT NULL,
    last_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE sale_minutes;
