-- Conversations with the assistant, what its models used, and what they cost.
-- +goose Up
CREATE TABLE assistant_conversations (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL, -- who alone sees it
    entity_id  uuid NOT NULL, -- of the user when it began
    title      text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL -- of the newest message
);
CREATE INDEX assistant_conversations_user ON assistant_conversations (user_id, updated_at DESC, id DESC);

CREATE TABLE assistant_messages (
    id              uuid PRIMARY KEY,
    conversation_id uuid NOT NULL REFERENCES assistant_conversations (id) ON DELETE CASCADE,
    question        text NOT NULL,
    language        text NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'stopped', 'failed')),
    attempt         integer NOT NULL DEFAULT 0, -- the newest run; an earlier one ends when it notices
    stop_requested  boolean NOT NULL DEFAULT false,
    answer          text NOT NULL DEFAULT '',
    model           text NOT NULL DEFAULT '',   -- that wrote it; empty if no model did
    cut             boolean NOT NULL DEFAULT false,
    untraced        text[] NOT NULL DEFAULT '{}', -- figures of the answer that no tool returned
    results         jsonb NOT NULL DEFAULT '[]',  -- of the tools
    error_code      text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    CHECK ((state = 'failed') = (error_code <> '')),
    CHECK ((finished_at IS NULL) = (state IN ('pending', 'running')))
);
CREATE INDEX assistant_messages_conversation ON assistant_messages (conversation_id, id);

CREATE TABLE assistant_usage (
    entity_id     uuid NOT NULL,
    day           date NOT NULL, -- business day
    model         text NOT NULL,
    attempts      bigint NOT NULL,
    failed        bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost          bigint NOT NULL, -- millionths of a US dollar
    latency_ms    bigint NOT NULL, -- of all attempts together
    first_ms      bigint NOT NULL, -- to the first text, of those that answered in text
    first_count   bigint NOT NULL,
    PRIMARY KEY (entity_id, day, model)
);

ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit', 'tasks_lost', 'rate_not_fetched', 'model_refused'));

-- +goose Down
DELETE FROM security_alerts WHERE kind = 'model_refused';
ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit', 'tasks_lost', 'rate_not_fetched'));
DROP TABLE assistant_usage;
DROP TABLE assistant_messages;
DROP TABLE assistant_conversations;
