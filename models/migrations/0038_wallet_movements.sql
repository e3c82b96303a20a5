-- Deposits, withdrawals and transfers that a person makes, their reversals, and the changes of credit limits.
-- +goose Up

-- One row for each such transaction. wallet_id is the wallet that it was made on, counterpart_id the other one of its two postings.
-- amount is what it posted on the wallet, balance the wallet's balance after it. A reversal has no reference.
CREATE TABLE wallet_movements (
    transaction_id  uuid PRIMARY KEY,
    wallet_id       uuid NOT NULL,
    counterpart_id  uuid NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('deposit', 'withdrawal', 'transfer', 'reversal')),
    amount          bigint NOT NULL CHECK (amount <> 0),
    balance         bigint NOT NULL,
    reference       text CHECK (char_length(reference) BETWEEN 1 AND 64),
    note            text NOT NULL DEFAULT '',
    reverses_id     uuid REFERENCES wallet_movements (transaction_id),
    user_id         uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    CHECK ((kind = 'reversal') = (reverses_id IS NOT NULL) AND (kind = 'reversal') = (reference IS NULL)),
    CHECK (wallet_id <> counterpart_id)
);
CREATE UNIQUE INDEX wallet_movements_reference ON wallet_movements (wallet_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX wallet_movements_reversed_once ON wallet_movements (reverses_id) WHERE reverses_id IS NOT NULL;

CREATE TABLE credit_limit_changes (
    id          uuid PRIMARY KEY,
    wallet_id   uuid NOT NULL,
    old_limit   bigint NOT NULL CHECK (old_limit >= 0),
    new_limit   bigint NOT NULL CHECK (new_limit >= 0),
    reason      text NOT NULL,
    user_id     uuid NOT NULL,
    created_at  timestamptz NOT NULL,
    CHECK (old_limit <> new_limit)
);
CREATE INDEX credit_limit_changes_wallet ON credit_limit_changes (wallet_id, created_at, id);

CREATE TRIGGER wallet_movements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON wallet_movements FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER credit_limit_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_limit_changes FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

-- +goose Down
DROP TABLE credit_limit_changes, wallet_movements;
