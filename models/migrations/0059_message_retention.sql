-- Messages are deleted by their age, with their attempts, and forget deleted customers whole.
-- +goose Up
ALTER TABLE message_attempts
    DROP CONSTRAINT message_attempts_message_id_fkey,
    ADD CONSTRAINT message_attempts_message_id_fkey FOREIGN KEY (message_id) REFERENCES message_logs (id) ON DELETE CASCADE;
-- Attempts are deleted with their message only.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION message_attempts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND pg_trigger_depth() > 1 THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'messaging: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd
UPDATE message_logs SET body = '', template = NULL WHERE recipient IS NULL;
CREATE INDEX message_resends_recipient ON message_resends ((filter ->> 'recipient')) WHERE filter ? 'recipient';

-- +goose Down
DROP INDEX message_resends_recipient;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION message_attempts_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'messaging: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd
ALTER TABLE message_attempts
    DROP CONSTRAINT message_attempts_message_id_fkey,
    ADD CONSTRAINT message_attempts_message_id_fkey FOREIGN KEY (message_id) REFERENCES message_logs (id);
