-- +goose Up
-- Readers of new transactions (internal/platform/feed) find them by xid. The blocks at the end of a part have no summary in transactions_xid until an
-- autovacuum worker comes by, up to a minute later, and until then each reader scans all of them: 200 ms each five seconds at 400 sales a second.
-- A large part keeps only transactions_xid, so that building does not hold up sales; the part of the next month has both.
SET LOCAL lock_timeout = '5s'; -- then it is tried again: nothing waits behind it for longer
CREATE INDEX transactions_by_xid ON ONLY transactions (xid);
-- +goose StatementBegin
DO $$
DECLARE part name;
BEGIN
    FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'transactions'::regclass AND pg_relation_size(c.oid) < 64 * 1024 * 1024 LOOP
        EXECUTE format('CREATE INDEX %I ON %I (xid)', part || '_by_xid', part);
        EXECUTE format('ALTER INDEX transactions_by_xid ATTACH PARTITION %I', part || '_by_xid');
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX transactions_by_xid;
