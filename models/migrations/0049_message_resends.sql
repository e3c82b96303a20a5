-- Resends of many messages, and an index to find what can be sent again.
-- +goose Up
CREATE TABLE message_resends (
    id          uuid PRIMARY KEY,
    entity_id   uuid NOT NULL,      -- of the user
    user_id     uuid NOT NULL,
    user_name   text NOT NULL,
    scope       text NOT NULL,      -- path of the entity, within which messages are sent again
    filter      jsonb NOT NULL,
    last_id     uuid NOT NULL,      -- no message after it is sent again
    cursor      uuid NOT NULL,      -- the messages up to it are done
    total       bigint NOT NULL,    -- when it was asked for
    done        bigint NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL,
    finished_at timestamptz
);
CREATE INDEX message_resends_entity ON message_resends (entity_id, id);
DROP INDEX message_logs_failed;
CREATE INDEX message_logs_failed ON message_logs (id) WHERE status IN ('failed', 'unknown');

-- +goose Down
DROP TABLE message_resends;
DROP INDEX message_logs_failed;
CREATE INDEX message_logs_failed ON message_logs (entity_id, id) WHERE status IN ('failed', 'unknown');
