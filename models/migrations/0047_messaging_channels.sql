-- Connections to providers of messages, the pauses of their channels, and what providers report afterwards.
-- +goose Up
CREATE TABLE messaging_connections (
    id          uuid PRIMARY KEY,
    entity_id   uuid NOT NULL REFERENCES entities (id),
    name        text NOT NULL,
    driver      text NOT NULL,
    parameters  jsonb NOT NULL,            -- those that are no secret
    secrets     text NOT NULL,             -- the others as JSON, sealed for this row
    per_minute  integer NOT NULL CHECK (per_minute BETWEEN 1 AND 6000),
    state       text NOT NULL CHECK (state IN ('disconnected', 'connecting', 'qr', 'passkey_required', 'open', 'banned', 'license_required')),
    reason      text NOT NULL DEFAULT '',
    phone       text NOT NULL DEFAULT '',
    qr          bytea,                     -- a PNG
    code        text NOT NULL DEFAULT '',  -- to type in instead
    link_until  timestamptz,               -- of qr and code
    checked_at  timestamptz NOT NULL,      -- when the provider last said the state
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    deleted_at  timestamptz
);
CREATE UNIQUE INDEX messaging_connections_entity ON messaging_connections (entity_id) WHERE deleted_at IS NULL;

-- A channel is a connection, or the configured channel, whose id is zero. A row without paused_until counts failures in a row.
CREATE TABLE messaging_channels (
    channel_id   uuid PRIMARY KEY,
    failures     integer NOT NULL,
    paused_at    timestamptz,
    paused_until timestamptz,
    kind         text NOT NULL DEFAULT '',
    reason       text NOT NULL DEFAULT '',
    CHECK ((paused_at IS NULL) = (paused_until IS NULL))
);

-- failures are the attempts that count towards the limit, which a resend sets to zero. A waiting message has no task: its channel
-- is paused. send_after and paced hold its place among the messages of its recipient (1) and of its channel (2).
ALTER TABLE message_logs
    ADD COLUMN channel_id uuid,
    ADD COLUMN failures   integer NOT NULL DEFAULT 0,
    ADD COLUMN waiting    boolean NOT NULL DEFAULT false,
    ADD COLUMN paced      smallint NOT NULL DEFAULT 0,
    ADD COLUMN send_after timestamptz;
ALTER TABLE message_logs ADD CONSTRAINT message_logs_waiting CHECK (NOT waiting OR status = 'queued');
CREATE INDEX message_logs_waiting ON message_logs (channel_id, id) WHERE waiting;
CREATE INDEX message_logs_ticket ON message_logs (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE INDEX message_logs_failed ON message_logs (entity_id, id) WHERE status IN ('failed', 'unknown');

-- What providers report of messages, each status once. message_id is null while no message has the provider's id.
CREATE TABLE message_reports (
    id           uuid PRIMARY KEY,
    channel_id   uuid NOT NULL,
    provider_id  text NOT NULL,
    message_id   uuid,
    status       text NOT NULL CHECK (status IN ('sent', 'delivered', 'read', 'failed')),
    error_code   text NOT NULL DEFAULT '',
    error_text   text NOT NULL DEFAULT '',
    reported_at  timestamptz NOT NULL,     -- as the provider dates it
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (channel_id, provider_id, status)
);
CREATE INDEX message_reports_message ON message_reports (message_id) WHERE message_id IS NOT NULL;

-- +goose Down
DROP TABLE message_reports, messaging_channels, messaging_connections;
DROP INDEX message_logs_waiting, message_logs_ticket, message_logs_failed;
ALTER TABLE message_logs DROP CONSTRAINT message_logs_waiting;
ALTER TABLE message_logs DROP COLUMN channel_id, DROP COLUMN failures, DROP COLUMN waiting, DROP COLUMN paced, DROP COLUMN send_after;
