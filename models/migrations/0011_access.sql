-- Who may do what, and the trail of what was done.
-- +goose Up

-- What a user may do beyond, or not do in spite of, the role.
CREATE TABLE user_permissions (
    user_id     uuid NOT NULL REFERENCES users (id),
    permission  text NOT NULL CHECK (permission ~ '^[a-z_]+:[a-z_]+$'),
    granted     boolean NOT NULL, -- false denies
    PRIMARY KEY (user_id, permission)
);

-- A user who was deleted stays for the records that name it, and frees its names.
ALTER TABLE users
    ADD deleted_at timestamptz,
    ADD password_changed_at timestamptz,
    ADD totp_secret bytea,          -- encrypted; null where there is none
    ADD totp_enabled_at timestamptz,
    ADD totp_last_step bigint NOT NULL DEFAULT 0, -- of the code used last: none is good twice
    DROP CONSTRAINT users_email_key,
    DROP CONSTRAINT users_phone_key,
    DROP CONSTRAINT users_identifier_key;
CREATE UNIQUE INDEX users_email_key ON users (email) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_phone_key ON users (phone) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_identifier_key ON users (identifier) WHERE deleted_at IS NULL;
CREATE INDEX users_entity ON users (entity_id);

ALTER TABLE user_sessions ADD confirmed_at timestamptz; -- the password was given again
CREATE INDEX user_sessions_live ON user_sessions (created_at DESC) WHERE ended_at IS NULL;

-- The code that a user was sent, one at a time. The code itself is nowhere: it is computed from the message's id.
CREATE TABLE one_time_codes (
    user_id     uuid PRIMARY KEY REFERENCES users (id),
    message_id  uuid NOT NULL UNIQUE,
    expires_at  timestamptz NOT NULL,
    failures    integer NOT NULL DEFAULT 0,
    sent_at     timestamptz NOT NULL
);

-- The trail. Each entry's hash covers the entry and the hash before it, so that a changed, missing or inserted entry
-- breaks the chain. An entry that was corrected or removed by a person has entries that say so (amends).
CREATE TABLE activity_logs (
    id          uuid PRIMARY KEY,
    seq         bigint NOT NULL UNIQUE,
    at          timestamptz NOT NULL,
    user_id     uuid,          -- null is the service itself
    user_name   text NOT NULL, -- as it was
    session_id  uuid,
    entity_id   uuid NOT NULL, -- where it happened; no foreign key, because an entity may be deleted
    module      text NOT NULL,
    action      text NOT NULL,
    target      text NOT NULL, -- id of what it was done to, or ''
    manual      boolean NOT NULL,
    amends      uuid REFERENCES activity_logs (id),
    details     jsonb NOT NULL,
    address     text NOT NULL,
    user_agent  text NOT NULL,
    prev_hash   bytea NOT NULL,
    hash        bytea NOT NULL
);
CREATE INDEX activity_logs_entity ON activity_logs (entity_id, seq DESC);
CREATE INDEX activity_logs_user ON activity_logs (user_id, seq DESC);
CREATE INDEX activity_logs_at ON activity_logs (at);
CREATE INDEX activity_logs_amends ON activity_logs (amends) WHERE amends IS NOT NULL;

-- The end of the chain. Whoever adds an entry holds this row until the commit, so entries have one order.
CREATE TABLE activity_chain (
    only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    seq       bigint NOT NULL,
    hash      bytea NOT NULL
);
INSERT INTO activity_chain (seq, hash) VALUES (0, sha256('banca activity log'));

-- +goose StatementBegin
CREATE FUNCTION activity_hash(l activity_logs) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(l.prev_hash || convert_to(jsonb_build_array(
        l.seq, l.id, (extract(epoch FROM l.at) * 1000000)::bigint, l.user_id, l.user_name, l.session_id, l.entity_id,
        l.module, l.action, l.target, l.manual, l.amends, l.details, l.address, l.user_agent)::text, 'UTF8'))
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION activity_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head activity_chain;
BEGIN
    SELECT * INTO STRICT head FROM activity_chain FOR UPDATE;
    NEW.seq := head.seq + 1;
    NEW.prev_hash := head.hash;
    NEW.hash := activity_hash(NEW);
    UPDATE activity_chain SET seq = NEW.seq, hash = NEW.hash;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION activity_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'activity_chain' AND TG_OP = 'UPDATE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% of % is refused: the activity log is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER activity_linked BEFORE INSERT ON activity_logs FOR EACH ROW EXECUTE FUNCTION activity_link();
CREATE TRIGGER activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON activity_logs FOR EACH STATEMENT EXECUTE FUNCTION activity_refuse();
CREATE TRIGGER activity_chain_kept BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON activity_chain FOR EACH STATEMENT EXECUTE FUNCTION activity_refuse();

-- +goose Down
DROP FUNCTION activity_hash(activity_logs);
DROP TABLE activity_chain, activity_logs, one_time_codes, user_permissions;
DROP FUNCTION activity_refuse(), activity_link();
DROP INDEX user_sessions_live, users_entity, users_email_key, users_phone_key, users_identifier_key;
ALTER TABLE user_sessions DROP confirmed_at;
ALTER TABLE users
    DROP deleted_at, DROP password_changed_at, DROP totp_secret, DROP totp_enabled_at, DROP totp_last_step,
    ADD CONSTRAINT users_email_key UNIQUE (email), ADD CONSTRAINT users_phone_key UNIQUE (phone), ADD CONSTRAINT users_identifier_key UNIQUE (identifier);
