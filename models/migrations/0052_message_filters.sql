-- Indexes of the filters of the log of messages, in the order of its pages: a value that few messages have is found without reading them all.
-- +goose Up
CREATE INDEX message_logs_recipient ON message_logs (recipient, id) WHERE recipient IS NOT NULL;
CREATE INDEX message_logs_status ON message_logs (status, id); -- of resends, too
CREATE INDEX message_logs_kind ON message_logs (kind, id);
CREATE INDEX message_logs_channel ON message_logs (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX message_logs_error ON message_logs (error_code, id) WHERE error_code IS NOT NULL;
DROP INDEX message_logs_failed;

-- +goose Down
CREATE INDEX message_logs_failed ON message_logs (id) WHERE status IN ('failed', 'unknown');
DROP INDEX message_logs_recipient, message_logs_status, message_logs_kind, message_logs_channel, message_logs_error;
