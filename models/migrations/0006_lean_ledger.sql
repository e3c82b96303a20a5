-- What a sale costs the ledger. Postings are ordered by their transaction, whose id is a UUIDv7: a number of their own cost every sale seven
-- calls of a sequence. The statement of a wallet is read by the new index.
-- +goose Up
DROP INDEX postings_wallet;
ALTER TABLE postings DROP COLUMN id;
CREATE INDEX postings_wallet ON postings (wallet_id, transaction_id) WHERE direct;

-- The guard's own words as a condition, so that the function is called for what it refuses only.
DROP TRIGGER wallets_balance_from_pending ON wallets;
CREATE TRIGGER wallets_balance_from_pending BEFORE UPDATE OF balance ON wallets FOR EACH ROW
    WHEN (NEW.balance IS DISTINCT FROM OLD.balance AND (pg_trigger_depth() < 1
        OR NEW.balance < OLD.balance AND NOT NEW.unlimited AND NEW.balance < -NEW.credit_limit))
    EXECUTE FUNCTION ledger_guard_balance();

-- +goose Down
DROP TRIGGER wallets_balance_from_pending ON wallets;
CREATE TRIGGER wallets_balance_from_pending BEFORE UPDATE OF balance ON wallets FOR EACH ROW WHEN (NEW.balance IS DISTINCT FROM OLD.balance) EXECUTE FUNCTION ledger_guard_balance();
DROP INDEX postings_wallet;
ALTER TABLE postings ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
CREATE INDEX postings_wallet ON postings (wallet_id, id) WHERE direct;
