-- +goose Up
-- Tickets, their lines, transactions and postings are going to be divided by month (0065). Their rows of today become the first
-- part, which ends far enough ahead for a release that runs until then. The constraint that spares 0065 a scan is added here
-- without one, and checked beside the sales in 0064.
SET LOCAL lock_timeout = '5s'; -- then it is tried again: nothing waits behind it for longer
-- +goose StatementBegin
-- The least UUID of version 7 of an instant of UTC.
CREATE FUNCTION first_id_at(at timestamp) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- The tables that are divided by month, with their column of time-ordered ids, in the order in which a sale locks them.
CREATE FUNCTION monthly_tables() RETURNS TABLE (name text, key text) LANGUAGE sql IMMUTABLE AS $$
    VALUES ('tickets', 'id'), ('ticket_items', 'ticket_id'), ('transactions', 'id'), ('postings', 'transaction_id')
$$;

CREATE FUNCTION monthly_bound(parent text, ends timestamp) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I < %L) NOT VALID', parent, parent || '_before_' || to_char(ends, 'YYYYMM'),
        (SELECT key FROM monthly_tables() WHERE name = parent), first_id_at(ends));
END $$;

-- The rest of a refunded ticket was booked with ids that are digests, of version 5. A digest behind the bound gets the time of the booking as its beginning
-- (ledger.DigestIDs); it has no place among the rows of before the bound otherwise.
DO $$
DECLARE bound uuid := first_id_at(date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months');
BEGIN
    CREATE TEMP TABLE digests ON COMMIT DROP AS
        SELECT id, (substr(first_id_at(date_trunc('milliseconds', created_at AT TIME ZONE 'UTC'))::text, 1, 14) || '7' || substr(id::text, 16))::uuid AS dated
        FROM transactions WHERE id >= bound AND substr(id::text, 15, 1) = '5';
    IF EXISTS (SELECT FROM digests) THEN
        ALTER TABLE transactions DISABLE TRIGGER USER;
        ALTER TABLE postings DISABLE TRIGGER USER;
        UPDATE transactions t SET id = d.dated FROM digests d WHERE t.id = d.id;
        UPDATE transactions t SET reverses_id = d.dated FROM digests d WHERE t.reverses_id = d.id;
        UPDATE postings p SET transaction_id = d.dated FROM digests d WHERE p.transaction_id = d.id;
        UPDATE draw_refunds r SET transaction_id = d.dated FROM digests d WHERE r.transaction_id = d.id;
        ALTER TABLE transactions ENABLE TRIGGER USER;
        ALTER TABLE postings ENABLE TRIGGER USER;
    END IF;
END $$;
-- +goose StatementEnd
SELECT monthly_bound(name, date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') FROM monthly_tables();

-- That a transaction is reversed once is a rule over all months.
CREATE TABLE transaction_reversals (
    reverses_id     uuid PRIMARY KEY,
    transaction_id  uuid NOT NULL
);
-- +goose StatementBegin
CREATE FUNCTION transactions_note_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO transaction_reversals (reverses_id, transaction_id) VALUES (NEW.reverses_id, NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_reversal AFTER INSERT ON transactions FOR EACH ROW WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION transactions_note_reversal();
CREATE TRIGGER transaction_reversals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON transaction_reversals FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

-- +goose Down
DROP TRIGGER transactions_reversal ON transactions;
DROP TABLE transaction_reversals;
DROP FUNCTION transactions_note_reversal();
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN SELECT t.name, n.conname FROM pg_constraint n JOIN monthly_tables() t ON n.conrelid = to_regclass(t.name) WHERE n.conname LIKE t.name || '\_before\_%' LOOP
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', c.name, c.conname);
    END LOOP;
END $$;
-- +goose StatementEnd
DROP FUNCTION monthly_bound(text, timestamp), monthly_tables(), first_id_at(timestamp);
