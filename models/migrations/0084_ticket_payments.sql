-- How a ticket was paid, if not in exact cash of its currency: such a ticket has no row. The values of a ticket's rows, in minor units of the ticket's
-- currency, sum to its total. Change is a row of cash with a negative amount. rate is the exchange rate of the day of the sale in units of 10^-8:
-- one unit of rate_base_id in units of the other currency; NULL in the currency of the ticket.
--
-- The table is not divided by month (0065), because a unique index of a divided table contains its key, and a credit of the bank pays one ticket of all
-- months. Its rows stay when their month is archived, as those of bank_payments do.
-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS ticket_payments (
    ticket_id        uuid NOT NULL,
    wallet_id        uuid NOT NULL, -- of the ticket
    line_no          smallint NOT NULL,
    means            text NOT NULL CHECK (means IN ('cash', 'card', 'mobile')),
    currency_id      uuid NOT NULL,
    amount           bigint NOT NULL CHECK (amount <> 0),
    value            bigint NOT NULL,
    rate             bigint CHECK (rate > 0),
    rate_base_id     uuid,
    reference        text NOT NULL DEFAULT '' CHECK (reference ~ '^[0-9]{0,36}$'),
    bank_payment_id  uuid,
    released_at      timestamptz, -- when the cancellation of the ticket gave the credit of the bank back
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (ticket_id, line_no),
    CHECK (amount > 0 OR means = 'cash'),
    CHECK ((rate IS NULL) = (rate_base_id IS NULL)),
    CHECK ((means = 'mobile') = (bank_payment_id IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS ticket_payments_wallet ON ticket_payments (wallet_id, ticket_id);
CREATE UNIQUE INDEX IF NOT EXISTS ticket_payments_bank ON ticket_payments (bank_payment_id) WHERE bank_payment_id IS NOT NULL AND released_at IS NULL;

-- What was sold otherwise than in cash of the currency, by means and currency: NULL where there was none, and in rows that a release without means
-- wrote. not_cash is its value that was neither cash nor a deposit.
ALTER TABLE daily_closes ADD COLUMN IF NOT EXISTS means jsonb, ADD COLUMN IF NOT EXISTS not_cash bigint NOT NULL DEFAULT 0;
ALTER TABLE cash_handovers ADD COLUMN IF NOT EXISTS means jsonb;

-- A sale finds the credit of a mobile payment by the last digits of its reference. The first drop removes what an interrupted migration left.
DROP INDEX CONCURRENTLY IF EXISTS bank_payments_tail;
CREATE INDEX CONCURRENTLY bank_payments_tail ON bank_payments (right(reference, 4), amount) WHERE entity_id IS NOT NULL;

-- +goose Down
DROP INDEX bank_payments_tail;
ALTER TABLE cash_handovers DROP COLUMN means;
ALTER TABLE daily_closes DROP COLUMN means, DROP COLUMN not_cash;
DROP TABLE ticket_payments;
