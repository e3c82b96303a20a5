-- +goose Up
-- Rows of a month that returns from the archive, or had no part, are checked against the bounds of the month as they are inserted: attaching the
-- part would read them all otherwise, while everything that plans the default part waits.
-- +goose StatementBegin
-- Bounds the ids of a table that is going to be a part.
CREATE FUNCTION monthly_range(parent text, part text, least_id uuid, before_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE key text := (SELECT t.key FROM monthly_tables() t WHERE t.name = parent);
BEGIN
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT month_bound CHECK (%I >= %L AND %I < %L)', part, key, least_id, key, before_id);
END $$;

-- As before (0065, 0066), with bounds.
CREATE OR REPLACE FUNCTION monthly_prepare(ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE parent text; month timestamp; part text; made integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('monthly_prepare'));
    FOR month IN SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, least(ahead, 60)) n LOOP
        FOR parent IN SELECT name FROM monthly_tables() LOOP
            part := parent || '_' || to_char(month, 'YYYYMM');
            CONTINUE WHEN to_regclass(part) IS NOT NULL OR EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = parent::regclass AND c.relname LIKE parent || '\_before\_%' AND right(c.relname, 6) > right(part, 6));
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', part, parent);
            IF parent = 'tickets' THEN
                EXECUTE format('CREATE UNIQUE INDEX %I ON %I (serial_code)', part || '_serial_code', part);
            END IF;
            PERFORM monthly_range(parent, part, first_id_at(month), first_id_at(month + interval '1 month')); -- spares a scan of the rows that are moved
            PERFORM monthly_collect(parent, part, first_id_at(month), first_id_at(month + interval '1 month'));
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, first_id_at(month), first_id_at(month + interval '1 month'));
            EXECUTE format('ALTER TABLE %I DROP CONSTRAINT month_bound', part);
            PERFORM monthly_guard(parent, part);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION monthly_return(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE parent text; m record;
BEGIN
    SELECT * INTO m FROM month_archives WHERE label = which AND state = 'archived' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'month % is not in the archive', which;
    END IF;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('DROP TABLE IF EXISTS %I', parent || '_' || which);
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', parent || '_' || which, parent);
        PERFORM monthly_hide(parent || '_' || which), monthly_range(parent, parent || '_' || which, m.least_id, m.before_id);
        IF parent = 'tickets' THEN
            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (serial_code)', 'tickets_' || which || '_serial_code', 'tickets_' || which);
        END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION monthly_attach(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE parent text; m record;
BEGIN
    SELECT * INTO STRICT m FROM month_archives WHERE label = which AND state = 'archived' FOR UPDATE;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', parent, parent || '_' || which,
            CASE WHEN which LIKE 'before\_%' THEN 'MINVALUE' ELSE quote_literal(m.least_id) END, m.before_id);
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS month_bound', parent || '_' || which);
        PERFORM monthly_guard(parent, parent || '_' || which);
    END LOOP;
    PERFORM monthly_freeze(which);
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION monthly_prepare(ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE parent text; month timestamp; part text; made integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('monthly_prepare'));
    FOR month IN SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, least(ahead, 60)) n LOOP
        FOR parent IN SELECT name FROM monthly_tables() LOOP
            part := parent || '_' || to_char(month, 'YYYYMM');
            CONTINUE WHEN to_regclass(part) IS NOT NULL OR EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = parent::regclass AND c.relname LIKE parent || '\_before\_%' AND right(c.relname, 6) > right(part, 6));
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', part, parent);
            IF parent = 'tickets' THEN
                EXECUTE format('CREATE UNIQUE INDEX %I ON %I (serial_code)', part || '_serial_code', part);
            END IF;
            PERFORM monthly_collect(parent, part, first_id_at(month), first_id_at(month + interval '1 month'));
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, first_id_at(month), first_id_at(month + interval '1 month'));
            PERFORM monthly_guard(parent, part);
            made := made + 1;
        END LOOP;
    END LOOP;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION monthly_return(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE parent text;
BEGIN
    PERFORM FROM month_archives WHERE label = which AND state = 'archived' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'month % is not in the archive', which;
    END IF;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('DROP TABLE IF EXISTS %I', parent || '_' || which);
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', parent || '_' || which, parent);
        PERFORM monthly_hide(parent || '_' || which);
        IF parent = 'tickets' THEN
            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (serial_code)', 'tickets_' || which || '_serial_code', 'tickets_' || which);
        END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION monthly_attach(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE parent text; m record;
BEGIN
    SELECT * INTO STRICT m FROM month_archives WHERE label = which AND state = 'archived' FOR UPDATE;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', parent, parent || '_' || which,
            CASE WHEN which LIKE 'before\_%' THEN 'MINVALUE' ELSE quote_literal(m.least_id) END, m.before_id);
        PERFORM monthly_guard(parent, parent || '_' || which);
    END LOOP;
    PERFORM monthly_freeze(which);
END $$;

DROP FUNCTION monthly_range(text, text, uuid, uuid);
-- +goose StatementEnd
