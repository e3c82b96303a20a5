-- Wallets, transactions and postings: double entry, append-only, enforced here and not only in Go.
--
-- How a balance changes: inserting postings (a statement trigger, which also refuses postings that do not
-- sum to zero) adds the direct ones to wallets.balance and files one row per wallet for the others in
-- pending_balances. Deleting pending rows adds them to wallets.balance (another trigger). Nothing else
-- may write either, so every change of a balance is explained by postings, and the exact balance at
-- any moment is balance + its pending rows. A sale posts directly on its own wallet only, whose row it
-- has locked; the others are folded by a task, so that nobody waits for the root's row.
-- +goose Up
CREATE TABLE wallets (
    id            uuid PRIMARY KEY,
    entity_id     uuid NOT NULL REFERENCES entities (id),
    currency_id   uuid NOT NULL REFERENCES currencies (id),
    kind          text NOT NULL DEFAULT 'main' CHECK (kind IN ('main', 'external')),
    balance       bigint NOT NULL DEFAULT 0,
    credit_limit  bigint NOT NULL DEFAULT 0 CHECK (credit_limit >= 0),
    unlimited     boolean NOT NULL DEFAULT false,
    status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (entity_id, currency_id, kind)
) WITH (fillfactor = 70);

CREATE TABLE transactions (
    id           uuid PRIMARY KEY,
    type         text NOT NULL CHECK (type IN ('sale', 'prize', 'commission', 'deposit', 'withdrawal')),
    entity_id    uuid NOT NULL,
    currency_id  uuid NOT NULL,
    amount       bigint NOT NULL,
    ticket_id    uuid,
    reverses_id  uuid,
    user_id      uuid,
    reference    text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL
);
-- The two bookings of a sale are found by ids that follow from the ticket's; only the others need this.
CREATE INDEX transactions_ticket ON transactions (ticket_id) WHERE ticket_id IS NOT NULL AND type NOT IN ('sale', 'commission');
CREATE UNIQUE INDEX transactions_reversed_once ON transactions (reverses_id) WHERE reverses_id IS NOT NULL;

-- id only orders a wallet's postings; a transaction has at most one posting on a wallet.
CREATE TABLE postings (
    id              bigint GENERATED ALWAYS AS IDENTITY,
    transaction_id  uuid NOT NULL,
    wallet_id       uuid NOT NULL,
    amount          bigint NOT NULL CHECK (amount <> 0),
    direct          boolean NOT NULL,
    PRIMARY KEY (transaction_id, wallet_id)
);
-- The statement of a wallet: what was posted on it directly. Commissions of ancestors, five postings of seven,
-- are reported by day, and five more index entries a sale are what the sale path can least afford.
CREATE INDEX postings_wallet ON postings (wallet_id, id) WHERE direct;

CREATE TABLE pending_balances (
    wallet_id  uuid NOT NULL,
    amount     bigint NOT NULL
);
CREATE INDEX pending_balances_wallet ON pending_balances (wallet_id);

-- +goose StatementBegin
CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION ledger_file_postings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM added GROUP BY transaction_id HAVING sum(amount) <> 0) THEN
        RAISE EXCEPTION 'ledger: postings do not sum to zero' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    UPDATE wallets w SET balance = w.balance + d.amount
        FROM (SELECT wallet_id, sum(amount) AS amount FROM added WHERE direct GROUP BY wallet_id) d
        WHERE w.id = d.wallet_id;
    INSERT INTO pending_balances (wallet_id, amount)
        SELECT wallet_id, sum(amount) FROM added WHERE NOT direct GROUP BY wallet_id;
    RETURN NULL;
END $$;

CREATE FUNCTION ledger_fold_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE wallets w SET balance = w.balance + f.amount
        FROM (SELECT wallet_id, sum(amount) AS amount FROM removed GROUP BY wallet_id) f
        WHERE w.id = f.wallet_id;
    RETURN NULL;
END $$;

CREATE FUNCTION ledger_guard_nested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'ledger: % on % only follows postings', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

-- A balance may only fall as far as its credit limit. The fold task sets ledger.overdraft: what it
-- books was decided before (a commission taken back with its sale is never refused). This is a
-- trigger and not a CHECK because a credit to an overdrawn wallet must still go through.
CREATE FUNCTION ledger_guard_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'ledger: a balance only follows postings' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.balance < OLD.balance AND NOT NEW.unlimited AND NEW.balance < -NEW.credit_limit
        AND current_setting('ledger.overdraft', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'ledger: wallet is not covered' USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_covered';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION ledger_guard_new_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.balance <> 0 THEN
        RAISE EXCEPTION 'ledger: a wallet begins at zero' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER postings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON postings FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER postings_filed AFTER INSERT ON postings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_file_postings();
CREATE TRIGGER pending_no_update BEFORE UPDATE OR TRUNCATE ON pending_balances FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER pending_only_from_postings BEFORE INSERT ON pending_balances FOR EACH STATEMENT EXECUTE FUNCTION ledger_guard_nested();
CREATE TRIGGER pending_folded AFTER DELETE ON pending_balances REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION ledger_fold_pending();
CREATE TRIGGER wallets_balance_from_pending BEFORE UPDATE OF balance ON wallets FOR EACH ROW WHEN (NEW.balance IS DISTINCT FROM OLD.balance) EXECUTE FUNCTION ledger_guard_balance();
CREATE TRIGGER wallets_begin_at_zero BEFORE INSERT ON wallets FOR EACH ROW EXECUTE FUNCTION ledger_guard_new_wallet();
CREATE TRIGGER wallets_kept BEFORE DELETE OR TRUNCATE ON wallets FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

-- +goose Down
DROP TABLE pending_balances, postings, transactions, wallets;
DROP FUNCTION ledger_refuse(), ledger_file_postings(), ledger_fold_pending(), ledger_guard_nested(), ledger_guard_balance(), ledger_guard_new_wallet();
