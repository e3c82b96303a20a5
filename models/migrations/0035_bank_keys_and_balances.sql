-- +goose Up
-- The idempotency keys of payment requests and of resolved payments move to idempotency_keys, with the meanings that they
-- have, so their repeats are still recognised. A key that another operation has stored there stays the key of that operation.
INSERT INTO idempotency_keys (id, request_hash, response, status, created_at)
    SELECT idempotency_key, request_hash, uuid_send(id), 201, created_at FROM payment_requests WHERE idempotency_key IS NOT NULL
    ON CONFLICT (id) DO NOTHING;
INSERT INTO idempotency_keys (id, request_hash, response, status, created_at)
    SELECT resolution_key, resolution_hash, uuid_send(id), 200, resolved_at FROM bank_payments WHERE resolution_key IS NOT NULL
    ON CONFLICT (id) DO NOTHING;
-- The unique indexes on the keys go with the columns.
ALTER TABLE payment_requests DROP COLUMN idempotency_key, DROP COLUMN request_hash;
ALTER TABLE bank_payments DROP COLUMN resolution_key, DROP COLUMN resolution_hash;

-- The wallets with their exact balances, pending postings included, as every package but internal/ledger reads them. moved is true
-- if the stored balance is not zero or the wallet has a direct or pending posting.
CREATE VIEW wallet_balances AS
    SELECT w.id, w.entity_id, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited,
        w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint AS balance,
        w.balance <> 0 OR EXISTS (SELECT 1 FROM postings p WHERE p.wallet_id = w.id AND p.direct)
            OR EXISTS (SELECT 1 FROM pending_balances p WHERE p.wallet_id = w.id) AS moved
    FROM wallets w;

-- +goose Down
DROP VIEW wallet_balances;
ALTER TABLE bank_payments ADD COLUMN resolution_key uuid, ADD COLUMN resolution_hash bytea;
CREATE UNIQUE INDEX bank_payments_resolution ON bank_payments (resolution_key) WHERE resolution_key IS NOT NULL;
ALTER TABLE payment_requests ADD COLUMN idempotency_key uuid, ADD COLUMN request_hash bytea;
CREATE UNIQUE INDEX payment_requests_key ON payment_requests (idempotency_key) WHERE idempotency_key IS NOT NULL;
