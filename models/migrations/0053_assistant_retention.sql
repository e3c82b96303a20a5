-- Conversations are deleted by their age; usage is read and deleted by its day.
-- +goose Up
CREATE INDEX assistant_conversations_age ON assistant_conversations (updated_at);
CREATE INDEX assistant_usage_day ON assistant_usage (day);

-- +goose Down
DROP INDEX assistant_usage_day;
DROP INDEX assistant_conversations_age;
