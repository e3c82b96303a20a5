-- Files of reports that a task writes.
-- +goose Up
CREATE TABLE report_exports (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL,  -- the creator, who alone sees it
    entity_id   uuid NOT NULL,  -- of the creator when it was created
    report      text NOT NULL,
    filter      jsonb NOT NULL,
    format      text NOT NULL CHECK (format IN ('csv', 'xlsx')),
    language    text NOT NULL,
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'failed', 'expired')),
    attempt     integer NOT NULL DEFAULT 0, -- the newest run; an earlier one ends when it notices
    rows        bigint NOT NULL DEFAULT 0,  -- written by it
    total       bigint NOT NULL DEFAULT 0,  -- 0 if unknown
    bytes       bigint NOT NULL DEFAULT 0,
    file_name   text NOT NULL DEFAULT '',
    object_key  text,
    error_code  text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    finished_at timestamptz,
    expires_at  timestamptz,
    CHECK ((state = 'done') = (object_key IS NOT NULL)),
    CHECK ((state = 'failed') = (error_code <> '')),
    CHECK (state <> 'done' OR (finished_at IS NOT NULL AND expires_at IS NOT NULL))
);
CREATE INDEX report_exports_user ON report_exports (user_id, created_at);
CREATE INDEX report_exports_live ON report_exports (updated_at) WHERE state IN ('pending', 'running', 'done');

-- +goose Down
DROP TABLE report_exports;
