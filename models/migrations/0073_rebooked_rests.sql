-- +goose Up
-- The rest of a refunded ticket is booked with an id of version 7, like all rows of the divided tables, which is kept with the refund: NULL if
-- nothing was left, and of refunds that releases before 0.4.0 made, whose ids are digests of the ticket's id (ledger.DigestIDs).
ALTER TABLE draw_refunds ADD COLUMN rebooked_id uuid;

-- +goose StatementBegin
-- As before (0065). Rows with digests for ids stay in the parts of no month, where they hinder no month: a part of a month that is made takes those of its
-- range along.
CREATE OR REPLACE FUNCTION monthly_state() RETURNS TABLE (ends timestamp, stray boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT min(last), EXISTS (SELECT FROM tickets_default) OR EXISTS (SELECT FROM ticket_items_default)
        OR EXISTS (SELECT FROM transactions_default WHERE substr(id::text, 15, 1) <> '5') OR EXISTS (SELECT FROM postings_default WHERE substr(transaction_id::text, 15, 1) <> '5')
    FROM (SELECT max(CASE WHEN c.relname LIKE t.name || '\_before\_%' THEN to_date(right(c.relname, 6), 'YYYYMM') ELSE to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' END) AS last
        FROM monthly_tables() t JOIN pg_inherits i ON i.inhparent = t.name::regclass JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname <> t.name || '_default' GROUP BY t.name) parts
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION monthly_state() RETURNS TABLE (ends timestamp, stray boolean) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT min(last), EXISTS (SELECT FROM tickets_default) OR EXISTS (SELECT FROM ticket_items_default) OR EXISTS (SELECT FROM transactions_default) OR EXISTS (SELECT FROM postings_default)
    FROM (SELECT max(CASE WHEN c.relname LIKE t.name || '\_before\_%' THEN to_date(right(c.relname, 6), 'YYYYMM') ELSE to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' END) AS last
        FROM monthly_tables() t JOIN pg_inherits i ON i.inhparent = t.name::regclass JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname <> t.name || '_default' GROUP BY t.name) parts
$$;
-- +goose StatementEnd
ALTER TABLE draw_refunds DROP COLUMN rebooked_id;
