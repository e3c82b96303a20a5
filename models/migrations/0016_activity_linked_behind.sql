-- Entries of the activity log are linked to the chain after their transactions, by a task, so that no writer waits for
-- another one. Existing links stay as they are.
-- +goose Up
ALTER TABLE activity_logs ALTER seq DROP NOT NULL, ALTER prev_hash DROP NOT NULL, ALTER hash DROP NOT NULL;
CREATE INDEX activity_logs_unlinked ON activity_logs (id) WHERE seq IS NULL;

DROP TRIGGER activity_linked ON activity_logs;
DROP TRIGGER activity_append_only ON activity_logs;

-- An entry is inserted without links.
-- +goose StatementBegin
CREATE FUNCTION activity_enter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.seq := NULL;
    NEW.prev_hash := NULL;
    NEW.hash := NULL;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- The only UPDATE is that of seq of an entry that has none: it links the entry to the end of the chain, whatever seq says.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION activity_link() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    head activity_chain;
    rest activity_logs := NEW;
BEGIN
    rest.seq := NULL;
    IF OLD.seq IS NOT NULL OR NEW.seq IS NULL OR rest IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'UPDATE of activity_logs is refused: the activity log is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT * INTO STRICT head FROM activity_chain FOR UPDATE;
    NEW.seq := head.seq + 1;
    NEW.prev_hash := head.hash;
    NEW.hash := activity_hash(NEW);
    UPDATE activity_chain SET seq = NEW.seq, hash = NEW.hash;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- Links at most so many entries, in the order of their ids, and returns how many. Runs at once wait for each other.
-- +goose StatementBegin
CREATE FUNCTION activity_link_pending(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    entry uuid;
    linked integer := 0;
BEGIN
    FOR entry IN SELECT id FROM activity_logs WHERE seq IS NULL ORDER BY id LIMIT most LOOP
        UPDATE activity_logs SET seq = 0 WHERE id = entry;
        linked := linked + 1;
    END LOOP;
    RETURN linked;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER activity_entered BEFORE INSERT ON activity_logs FOR EACH ROW EXECUTE FUNCTION activity_enter();
CREATE TRIGGER activity_linked BEFORE UPDATE ON activity_logs FOR EACH ROW EXECUTE FUNCTION activity_link();
CREATE TRIGGER activity_append_only BEFORE DELETE OR TRUNCATE ON activity_logs FOR EACH STATEMENT EXECUTE FUNCTION activity_refuse();

-- +goose Down
SELECT activity_link_pending(2147483647);
DROP TRIGGER activity_entered ON activity_logs;
DROP TRIGGER activity_linked ON activity_logs;
DROP TRIGGER activity_append_only ON activity_logs;
DROP FUNCTION activity_enter(), activity_link_pending(integer);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION activity_link() RETURNS trigger LANGUAGE plpgsql AS $$
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
DROP INDEX activity_logs_unlinked;
ALTER TABLE activity_logs ALTER seq SET NOT NULL, ALTER prev_hash SET NOT NULL, ALTER hash SET NOT NULL;
CREATE TRIGGER activity_linked BEFORE INSERT ON activity_logs FOR EACH ROW EXECUTE FUNCTION activity_link();
CREATE TRIGGER activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON activity_logs FOR EACH STATEMENT EXECUTE FUNCTION activity_refuse();
