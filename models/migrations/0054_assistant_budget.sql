-- Tokens of an entity in a business day, and when the task of a waiting question comes.
-- +goose Up
CREATE TABLE assistant_budgets (
    entity_id uuid NOT NULL,
    day       date NOT NULL,   -- business day
    tokens    bigint NOT NULL, -- spent, and reserved by the calls that are being made
    PRIMARY KEY (entity_id, day)
);
INSERT INTO assistant_budgets SELECT entity_id, day, sum(input_tokens + output_tokens) FROM assistant_usage GROUP BY entity_id, day;
CREATE INDEX assistant_budgets_day ON assistant_budgets (day);

ALTER TABLE assistant_messages ADD task_at timestamptz; -- when the newest task comes that was written after the first one
CREATE INDEX assistant_messages_unfinished ON assistant_messages (id) WHERE state IN ('pending', 'running');

-- +goose Down
DROP INDEX assistant_messages_unfinished;
ALTER TABLE assistant_messages DROP task_at;
DROP TABLE assistant_budgets;
