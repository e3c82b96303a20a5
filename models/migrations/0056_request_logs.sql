-- +goose Up
-- Every request that the api answered, without queries, bodies and secrets. A partition a day: a day is dropped in a moment, where
-- deleting its rows would take as long as writing them. Ids are UUIDs of version 7, so they order the rows by time and bound the partitions.
CREATE TABLE request_logs (
    id       uuid PRIMARY KEY,
    at       timestamptz NOT NULL,
    method   text NOT NULL,
    path     text NOT NULL,
    status   smallint NOT NULL,
    took_us  bigint NOT NULL,
    address  inet -- NULL for a client without one
) PARTITION BY RANGE (id);

-- The least id of a day of UTC.
-- +goose StatementBegin
CREATE FUNCTION request_logs_first_id(day date) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((day - date '1970-01-01') * 86400000::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Makes the partitions of some days. The owner of the table runs it, whoever calls. A partition that exists, or that another process makes at the
-- same time, is left as it is.
CREATE FUNCTION request_logs_prepare(first date, days integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE day date;
BEGIN
    FOR day IN SELECT first + i FROM generate_series(0, least(days, 31) - 1) i LOOP
        IF to_regclass('request_logs_' || to_char(day, 'YYYYMMDD')) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE TABLE request_logs_%s PARTITION OF request_logs FOR VALUES FROM (%L) TO (%L)',
                    to_char(day, 'YYYYMMDD'), request_logs_first_id(day), request_logs_first_id(day + 1));
            EXCEPTION WHEN duplicate_table OR unique_violation THEN NULL;
            END;
        END IF;
    END LOOP;
END $$;

-- Drops the oldest partition whose days are all before a day, and returns whether there was one.
CREATE FUNCTION request_logs_drop(before date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
SELECT request_logs_prepare((now() AT TIME ZONE 'UTC')::date - 1, 4);

-- +goose Down
DROP FUNCTION request_logs_drop(date), request_logs_prepare(date, integer);
DROP TABLE request_logs;
DROP FUNCTION request_logs_first_id(date);
