-- +goose Up
-- Closed months of the divided tables (0065) move to the object store. A month is frozen, written, read back and compared, and only then are its
-- parts dropped. What the books need of it stays: the sums by wallet and type, and the prizes won by ticket point.
CREATE TABLE month_archives (
    label        text PRIMARY KEY, -- of the parts: 202703, or before_202701 of the first ones
    least_id     uuid NOT NULL,    -- the ids of the month
    before_id    uuid NOT NULL,
    ends         timestamp NOT NULL, -- of UTC
    state        text NOT NULL CHECK (state IN ('frozen', 'written', 'archived', 'returned')),
    draws_until  timestamptz,      -- the last draw that one of its lines is on
    manifest     text,             -- key of the object that lists the others
    sha256       text,             -- of the manifest
    rows         bigint,
    bytes        bigint,
    frozen_at    timestamptz NOT NULL,
    written_at   timestamptz,
    archived_at  timestamptz,
    returned_at  timestamptz,
    CHECK (state = 'frozen' OR (manifest IS NOT NULL AND sha256 IS NOT NULL AND rows IS NOT NULL AND bytes IS NOT NULL AND written_at IS NOT NULL))
);
CREATE TABLE archived_postings (
    label      text NOT NULL REFERENCES month_archives,
    wallet_id  uuid NOT NULL,
    type       text NOT NULL, -- of the transactions
    direct     boolean NOT NULL,
    amount     bigint NOT NULL,
    PRIMARY KEY (label, wallet_id, type, direct)
);
CREATE INDEX archived_postings_wallet ON archived_postings (wallet_id);
CREATE TABLE archived_prizes (
    label        text NOT NULL REFERENCES month_archives,
    entity_id    uuid NOT NULL,
    currency_id  uuid NOT NULL,
    won          bigint NOT NULL,
    PRIMARY KEY (label, entity_id, currency_id)
);

-- What was posted and is in the archive.
CREATE VIEW archived_sums AS SELECT a.wallet_id, a.type, a.direct, sum(a.amount)::bigint AS amount
    FROM archived_postings a JOIN month_archives m ON m.label = a.label AND m.state = 'archived' GROUP BY 1, 2, 3;

-- +goose StatementBegin
-- The least id of the rows that are not in the archive and never were.
CREATE FUNCTION archived_before() RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT before_id FROM month_archives WHERE state IN ('archived', 'returned') ORDER BY ends DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')
$$;

-- The first day of which, in every time zone, all rows are in the tables; the first of all days while nothing is archived.
CREATE FUNCTION archived_until() RETURNS date LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT max(ends)::date + 2 FROM month_archives WHERE state IN ('archived', 'returned')), '0001-01-01')
$$;

CREATE FUNCTION monthly_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this row of % is in a month that is archived', TG_TABLE_NAME USING ERRCODE = 'BA001';
END $$;

-- Refuses all changes of the parts of a month, which are attached. The owner of the tables runs it, whoever calls; so do the functions below.
CREATE FUNCTION monthly_freeze(label text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE parent text;
BEGIN
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('CREATE TRIGGER month_frozen BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION monthly_refuse()', parent || '_' || label);
    END LOOP;
END $$;

-- Takes the parts of a month that is written out of the tables, and drops them.
CREATE FUNCTION monthly_drop(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE parent text;
BEGIN
    PERFORM FROM month_archives WHERE label = which AND state = 'written' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'month % is not written', which;
    END IF;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, parent || '_' || which);
    END LOOP;
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('DROP TABLE %I', parent || '_' || which);
    END LOOP;
END $$;

-- Makes tables for the rows of an archived month, which are no parts yet. Those of an attempt that failed are dropped.
CREATE FUNCTION monthly_return(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
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

-- Inserts rows into a table that monthly_return made. Columns that the archive does not have get their defaults.
CREATE FUNCTION monthly_load(which text, parent text, lines jsonb) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE columns text; n bigint;
BEGIN
    PERFORM FROM month_archives WHERE label = which AND state = 'archived';
    IF NOT FOUND OR parent NOT IN (SELECT name FROM monthly_tables()) THEN
        RAISE EXCEPTION 'month % is not in the archive', which;
    END IF;
    SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO columns FROM pg_attribute a
        WHERE a.attrelid = parent::regclass AND a.attnum > 0 AND NOT a.attisdropped AND lines->0 ? a.attname;
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM jsonb_populate_recordset(NULL::%I, $1)', parent || '_' || which, columns, columns, parent) USING lines;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n;
END $$;

-- Makes the tables of monthly_return parts again, frozen.
CREATE FUNCTION monthly_attach(which text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
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

-- The parts that are attached, with their ids, oldest first.
CREATE FUNCTION monthly_parts() RETURNS TABLE (label text, least_id uuid, before_id uuid, ends timestamp) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT p.label, CASE WHEN p.label LIKE 'before\_%' THEN '00000000-0000-0000-0000-000000000000' ELSE first_id_at(p.ends - interval '1 month') END, first_id_at(p.ends), p.ends
    FROM (SELECT substr(c.relname, 9) AS label, to_date(right(c.relname, 6), 'YYYYMM') + CASE WHEN c.relname LIKE '%\_before\_%' THEN interval '0' ELSE interval '1 month' END AS ends
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'tickets'::regclass AND c.relname <> 'tickets_default') p
    ORDER BY p.ends
$$;
-- +goose StatementEnd

-- A wallet has moved if it has postings, in the tables or in the archive.
CREATE OR REPLACE VIEW wallet_balances AS
    SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited,
        w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint AS balance,
        w.balance <> 0 OR EXISTS (SELECT 1 FROM postings p WHERE p.wallet_id = w.id AND p.direct)
            OR EXISTS (SELECT 1 FROM pending_balances p WHERE p.wallet_id = w.id)
            OR EXISTS (SELECT 1 FROM archived_postings a WHERE a.wallet_id = w.id AND a.direct) AS moved
    FROM wallets w;

-- +goose Down
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM month_archives) THEN
        RAISE EXCEPTION 'months are in the archive: return them first';
    END IF;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE VIEW wallet_balances AS
    SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited,
        w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint AS balance,
        w.balance <> 0 OR EXISTS (SELECT 1 FROM postings p WHERE p.wallet_id = w.id AND p.direct)
            OR EXISTS (SELECT 1 FROM pending_balances p WHERE p.wallet_id = w.id) AS moved
    FROM wallets w;
DROP FUNCTION monthly_freeze(text), monthly_drop(text), monthly_return(text), monthly_load(text, text, jsonb), monthly_attach(text), monthly_parts(), monthly_refuse(), archived_before(), archived_until();
DROP VIEW archived_sums;
DROP TABLE archived_prizes, archived_postings, month_archives;
