-- Messages that correct earlier ones about the same thing.
-- +goose Up
-- A message about a thing that may change tells one version of it: version is the instant, in microseconds, at which it became so, 0 for a thing that does not change.
-- told is what the message says of it, such as the prize in minor units, so that a later version can be compared.
ALTER TABLE message_logs
    ADD COLUMN version bigint NOT NULL DEFAULT 0,
    ADD COLUMN told    text   NOT NULL DEFAULT '';
UPDATE message_logs m SET version = (extract(epoch FROM t.settled_at) * 1000000)::bigint, told = t.prize::text
    FROM tickets t WHERE m.kind = 'prize' AND t.id = m.ticket_id AND t.settled_at IS NOT NULL;
DROP INDEX message_logs_about;
CREATE UNIQUE INDEX message_logs_about ON message_logs (about, kind, recipient) WHERE about IS NOT NULL AND version = 0;
CREATE UNIQUE INDEX message_logs_version ON message_logs (about, recipient, version) WHERE about IS NOT NULL AND version <> 0;
-- The prizes that a decision took back.
CREATE INDEX winning_lines_annulled_at ON winning_lines (annulled_at, ticket_id) WHERE annulled_at IS NOT NULL;

-- +goose Down
DROP INDEX winning_lines_annulled_at, message_logs_version, message_logs_about;
CREATE INDEX message_logs_about ON message_logs (about, kind, recipient) WHERE about IS NOT NULL;
ALTER TABLE message_logs DROP COLUMN version, DROP COLUMN told;
