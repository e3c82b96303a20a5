-- The deposits, withdrawals and prizes of an entity by time: the close of its day reads those that are posted on its wallet without a
-- lock. Sales and commissions, nearly all transactions, are not in the index.
-- +goose Up
CREATE INDEX transactions_entity ON transactions (entity_id, created_at) WHERE type NOT IN ('sale', 'commission');

-- +goose Down
DROP INDEX transactions_entity;
