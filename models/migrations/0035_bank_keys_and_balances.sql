-- +goose Up
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
