-- Balances of the past and statements, without reading all postings.
-- +goose Up

-- How far each reader of committed rows has read, see internal/platform/feed. zone is that of the business days it counts by.
CREATE TABLE feeds (
    name      text PRIMARY KEY,
    position  bigint NOT NULL DEFAULT 0,
    zone      text NOT NULL DEFAULT '',
    read_at   timestamptz
);

-- The transaction that inserted the row; 0 for rows of before this migration.
ALTER TABLE transactions ADD COLUMN xid bigint NOT NULL DEFAULT 0;
ALTER TABLE transactions ALTER COLUMN xid SET DEFAULT pg_current_xact_id()::text::bigint;
CREATE INDEX transactions_xid ON transactions USING brin (xid) WITH (autosummarize = on);

-- A posting has the time of its transaction: the statement of a wallet is in this order, and the postings of a day are
-- found without their transactions.
ALTER TABLE postings ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE postings DISABLE TRIGGER postings_append_only;
UPDATE postings p SET created_at = t.created_at FROM transactions t WHERE t.id = p.transaction_id;
ALTER TABLE postings ENABLE TRIGGER postings_append_only;
DROP INDEX postings_wallet;
CREATE INDEX postings_wallet ON postings (wallet_id, created_at, transaction_id) WHERE direct;
CREATE INDEX postings_created ON postings USING brin (created_at) WITH (autosummarize = on);

-- What was posted on a wallet on a business day, by type, kept by the task ledger.days.
CREATE TABLE wallet_days (
    wallet_id  uuid NOT NULL,
    day        date NOT NULL,
    type       text NOT NULL,
    direct     boolean NOT NULL,
    amount     bigint NOT NULL,
    postings   bigint NOT NULL,
    PRIMARY KEY (wallet_id, day, type, direct)
) WITH (fillfactor = 70);

-- +goose Down
DROP TABLE wallet_days;
DROP INDEX postings_created;
DROP INDEX postings_wallet;
CREATE INDEX postings_wallet ON postings (wallet_id, transaction_id) WHERE direct;
ALTER TABLE postings DROP COLUMN created_at;
DROP INDEX transactions_xid;
ALTER TABLE transactions DROP COLUMN xid;
DROP TABLE feeds;
