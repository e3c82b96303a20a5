-- Outbound messages: one log row a message, one append-only row an attempt.
-- +goose Up

-- attempts is the number of the last attempt, over all resends; an attempt writes its result only while
-- the number is still its own. lease_until ends the time the attempt under way may take: after it nobody
-- can tell whether the message was delivered, and the status becomes unknown. driver is the one that made
-- the last attempt. queued_at is when the message last entered the queue.
CREATE TABLE message_logs (
    id               uuid PRIMARY KEY,
    entity_id        uuid NOT NULL,
    ticket_id        uuid,
    kind             text NOT NULL DEFAULT 'receipt',
    driver           text NOT NULL DEFAULT '',
    recipient        text NOT NULL CHECK (recipient ~ '^[+][1-9][0-9]{7,14}$'),
    body             text NOT NULL DEFAULT '',
    image_url        text,
    status           text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'unknown')),
    provider_id      text,
    error_code       text,
    error_text       text,
    attempts         integer NOT NULL DEFAULT 0,
    retry_count      integer NOT NULL DEFAULT 0,
    lease_until      timestamptz,
    queued_at        timestamptz NOT NULL DEFAULT now(),
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CHECK ((status = 'sending') = (lease_until IS NOT NULL))
);
CREATE INDEX message_logs_entity ON message_logs (entity_id, id DESC);
CREATE INDEX message_logs_unfinished ON message_logs (status, queued_at) WHERE status IN ('queued', 'sending');
-- One receipt message a ticket: the guard that makes rendering safe to repeat.
CREATE UNIQUE INDEX message_logs_receipt ON message_logs (ticket_id) WHERE kind = 'receipt' AND ticket_id IS NOT NULL;

CREATE TABLE message_attempts (
    id           uuid PRIMARY KEY,
    message_id   uuid NOT NULL REFERENCES message_logs (id),
    number       integer NOT NULL,
    driver       text NOT NULL DEFAULT '',
    outcome      text NOT NULL,
    error_text   text NOT NULL DEFAULT '',
    provider_id  text,
    duration_ms  integer NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (message_id, number)
);

-- +goose StatementBegin
CREATE FUNCTION message_attempts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'messaging: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER message_attempts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON message_attempts FOR EACH STATEMENT EXECUTE FUNCTION message_attempts_refuse();

-- +goose Down
DROP TABLE message_attempts, message_logs;
DROP FUNCTION message_attempts_refuse();
