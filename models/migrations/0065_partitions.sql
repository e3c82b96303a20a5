-- +goose Up
-- Tickets, their lines, transactions and postings are divided by the month (of UTC) of their time-ordered ids: what grows without
-- bound is moved away by the month, and the indexes that every sale writes stay small. The rows of before are the first part. Rows of no
-- month, which no release writes, have a part of their own, so that no insert fails for want of one.
--
-- A unique index of a divided table must contain its key. A serial code begins with a letter of its month and is unique in its part;
-- that a transaction is reversed once is the primary key of transaction_reversals.
SET LOCAL lock_timeout = '5s'; -- then it is tried again: nothing waits behind it for longer
LOCK TABLE tickets, ticket_items, transactions, postings IN ACCESS EXCLUSIVE MODE;
DROP VIEW ticket_lines, wallet_balances, wallet_postings;
DROP TRIGGER postings_filed ON postings;
DROP TRIGGER transactions_reversal ON transactions;
-- +goose StatementBegin
-- Takes from all but the owner what default privileges gave: a part is reached through its table.
CREATE FUNCTION monthly_hide(part text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE who oid;
BEGIN
    FOR who IN SELECT DISTINCT a.grantee FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = part::regclass AND a.grantee <> c.relowner LOOP
        EXECUTE format('REVOKE ALL ON %I FROM %s', part, CASE who WHEN 0 THEN 'PUBLIC' ELSE who::regrole::text END);
    END LOOP;
END $$;

-- Refuses changes of a part of the ledger that do not come through its table, too.
CREATE FUNCTION monthly_guard(parent text, part text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM monthly_hide(part);
    IF parent IN ('transactions', 'postings') THEN
        EXECUTE format('CREATE TRIGGER %I BEFORE DELETE OR UPDATE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()', part || '_append_only', part);
    END IF;
END $$;

-- Makes the table a part of a new one of its name.
CREATE FUNCTION monthly_divide(parent text, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE first text := (SELECT conname FROM pg_constraint WHERE conrelid = parent::regclass AND conname LIKE parent || '\_before\_%'); i record;
BEGIN
    EXECUTE format('ALTER TABLE %I RENAME TO %I', parent, first);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (%I)', parent, first, key);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', parent, first);
    FOR i IN SELECT c.relname AS name, x.indexrelid AS id, x.indisprimary, pg_get_constraintdef(n.oid) AS key FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
            LEFT JOIN pg_constraint n ON n.conindid = x.indexrelid WHERE x.indrelid = first::regclass AND (x.indisprimary OR NOT x.indisunique) LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', i.name, 'first_' || i.name);
        IF i.indisprimary THEN
            EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I %s', parent, i.name, i.key);
        ELSE
            EXECUTE replace(replace(pg_get_indexdef(i.id), ' INDEX first_' || i.name || ' ', ' INDEX ' || i.name || ' '), ' ON public.' || first || ' ', ' ON ' || parent || ' ');
        END IF;
    END LOOP;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', parent, first, first_id_at(to_date(right(first, 6), 'YYYYMM')));
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', first, first);
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', parent || '_default', parent);
    PERFORM monthly_hide(first), monthly_guard(parent, parent || '_default');
END $$;

-- Moves the rows of a month that had no part into it.
CREATE FUNCTION monthly_collect(parent text, part text, least_id uuid, before_id uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE stray text := parent || '_default'; key text := (SELECT t.key FROM monthly_tables() t WHERE t.name = parent); found boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I >= %L AND %I < %L)', stray, key, least_id, key, before_id) INTO found;
    IF found THEN
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent);
        EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', stray);
        EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE %I >= %L AND %I < %L', part, stray, key, least_id, key, before_id);
        EXECUTE format('DELETE FROM %I WHERE %I >= %L AND %I < %L', stray, key, least_id, key, before_id);
        EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', stray);
    END IF;
END $$;

-- Makes the parts up to some months ahead and returns how many it made. A part that exists is left as it is. The owner of the tables runs it, whoever calls.
CREATE FUNCTION monthly_prepare(ahead integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '3s' AS $$
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

-- Analyses the divided tables with their parts. The owner of the tables runs it, whoever calls.
CREATE FUNCTION monthly_analyse() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE parent text;
BEGIN
    FOR parent IN SELECT name FROM monthly_tables() LOOP
        EXECUTE format('ANALYZE %I', parent);
    END LOOP;
END $$;
-- +goose StatementEnd
SELECT monthly_divide(name, key) FROM monthly_tables();
CREATE INDEX tickets_default_serial_code ON tickets_default (serial_code);
DROP FUNCTION monthly_divide(text, text);
-- +goose StatementBegin
-- The end of the last month for which all tables have a part, and whether there are rows of no month.
CREATE FUNCTION monthly_state() RETURNS TABLE (ends timestamp, stray boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT min(last), EXISTS (SELECT FROM tickets_default) OR EXISTS (SELECT FROM ticket_items_default) OR EXISTS (SELECT FROM transactions_default) OR EXISTS (SELECT FROM postings_default)
    FROM (SELECT max(CASE WHEN c.relname LIKE t.name || '\_before\_%' THEN to_date(right(c.relname, 6), 'YYYYMM') ELSE to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' END) AS last
        FROM monthly_tables() t JOIN pg_inherits i ON i.inhparent = t.name::regclass JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname <> t.name || '_default' GROUP BY t.name) parts
$$;
-- +goose StatementEnd

CREATE TRIGGER transactions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON transactions FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER transactions_reversal AFTER INSERT ON transactions FOR EACH ROW WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION transactions_note_reversal();
CREATE TRIGGER postings_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER postings_filed AFTER INSERT ON postings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_file_postings();

CREATE VIEW ticket_lines AS
    SELECT ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates
    FROM ticket_items;
CREATE VIEW wallet_balances AS
    SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited,
        w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint AS balance,
        w.balance <> 0 OR EXISTS (SELECT 1 FROM postings p WHERE p.wallet_id = w.id AND p.direct)
            OR EXISTS (SELECT 1 FROM pending_balances p WHERE p.wallet_id = w.id) AS moved
    FROM wallets w;
CREATE VIEW wallet_postings AS SELECT transaction_id, wallet_id, amount, direct, created_at FROM postings;

SELECT monthly_prepare(3);

-- +goose Down
LOCK TABLE tickets, ticket_items, transactions, postings IN ACCESS EXCLUSIVE MODE;
DROP VIEW ticket_lines, wallet_balances, wallet_postings;
-- +goose StatementBegin
-- Moves the rows of all parts into the first one, which becomes the table again.
CREATE FUNCTION monthly_undivide(parent text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE first text := (SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = parent::regclass AND c.relname LIKE parent || '\_before\_%'); i record;
BEGIN
    IF first IS NULL THEN
        RAISE EXCEPTION 'the first months of % are in the archive', parent;
    END IF;
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, first);
    EXECUTE format('INSERT INTO %I SELECT * FROM %I', first, parent);
    EXECUTE format('DROP TABLE %I', parent);
    FOR i IN SELECT c.relname AS name FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE x.indrelid = first::regclass AND c.relname LIKE 'first\_%' LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', i.name, substr(i.name, 7));
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', first, parent);
    PERFORM monthly_bound(parent, to_date(right(first, 6), 'YYYYMM'));
END $$;

-- Gives who may use an entity's row the same on a table.
CREATE FUNCTION monthly_show(parent text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE who oid;
BEGIN
    FOR who IN SELECT DISTINCT a.grantee FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'entities'::regclass AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %s', parent, CASE who WHEN 0 THEN 'PUBLIC' ELSE who::regrole::text END);
    END LOOP;
END $$;
-- +goose StatementEnd
SELECT monthly_undivide(name), monthly_show(name) FROM monthly_tables();
CREATE TRIGGER transactions_reversal AFTER INSERT ON transactions FOR EACH ROW WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION transactions_note_reversal();
CREATE TRIGGER postings_filed AFTER INSERT ON postings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_file_postings();
DROP FUNCTION monthly_collect(text, text, uuid, uuid), monthly_state(), monthly_analyse(), monthly_prepare(integer), monthly_guard(text, text), monthly_hide(text), monthly_undivide(text), monthly_show(text);

CREATE VIEW ticket_lines AS
    SELECT ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates
    FROM ticket_items;
CREATE VIEW wallet_balances AS
    SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited,
        w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint AS balance,
        w.balance <> 0 OR EXISTS (SELECT 1 FROM postings p WHERE p.wallet_id = w.id AND p.direct)
            OR EXISTS (SELECT 1 FROM pending_balances p WHERE p.wallet_id = w.id) AS moved
    FROM wallets w;
CREATE VIEW wallet_postings AS SELECT transaction_id, wallet_id, amount, direct, created_at FROM postings;
