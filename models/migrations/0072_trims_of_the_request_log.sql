-- One process drops a partition of the request log at a time. Two that drop the same one collide in the catalogue of Postgres: the second failed with
-- "could not find tuple for parent of relation", and its task was repeated.
-- +goose Up
-- Drops the oldest partition whose days are all before a day, and returns whether there was one.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION request_logs_drop(before date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE oldest text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('request_logs_drop'));
    SELECT c.relname INTO oldest FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'request_logs'::regclass AND c.relname < 'request_logs_' || to_char(before, 'YYYYMMDD') ORDER BY c.relname LIMIT 1;
    IF oldest IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', oldest);
    RETURN true;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION request_logs_drop(before date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE oldest text;
BEGIN
    SELECT c.relname INTO oldest FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'request_logs'::regclass AND c.relname < 'request_logs_' || to_char(before, 'YYYYMMDD') ORDER BY c.relname LIMIT 1;
    IF oldest IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', oldest);
    RETURN true;
END $$;
-- +goose StatementEnd
