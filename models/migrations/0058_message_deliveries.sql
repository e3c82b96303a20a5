-- Reports belong to the delivery that they are about, and a provider's wait lasts as long as it asks for.
-- +goose Up
-- delivery counts the deliveries of a message: one after a certain failure is another one, one after an unknown outcome is the same. resent_at is when a person last sent it again.
ALTER TABLE message_logs
    ADD COLUMN delivery  integer NOT NULL DEFAULT 1,
    ADD COLUMN resent_at timestamptz;
UPDATE message_logs SET delivery = 2 WHERE status = 'failed';
UPDATE message_logs SET resent_at = updated_at WHERE retry_count > 0 AND status IN ('queued', 'sending');
ALTER TABLE message_attempts ADD COLUMN delivery integer NOT NULL DEFAULT 1;
CREATE INDEX message_attempts_provider ON message_attempts (provider_id) WHERE provider_id IS NOT NULL;
-- A report has the provider's id, or names the message and its delivery, whose statuses count once each.
DELETE FROM message_reports WHERE provider_id = '' AND message_id IS NULL;
ALTER TABLE message_reports
    ADD COLUMN delivery integer,
    DROP CONSTRAINT message_reports_channel_id_provider_id_status_key;
UPDATE message_reports SET delivery = 1 WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX message_reports_provider ON message_reports (channel_id, provider_id, status) WHERE provider_id <> '';
CREATE UNIQUE INDEX message_reports_delivery ON message_reports (message_id, delivery, status) WHERE provider_id = '';

-- +goose Down
DELETE FROM message_reports WHERE provider_id = '';
DROP INDEX message_reports_provider, message_reports_delivery, message_attempts_provider;
ALTER TABLE message_reports DROP COLUMN delivery, ADD UNIQUE (channel_id, provider_id, status);
ALTER TABLE message_attempts DROP COLUMN delivery;
ALTER TABLE message_logs DROP COLUMN delivery, DROP COLUMN resent_at;
