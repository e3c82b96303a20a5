-- What came of each fetch of exchange rates, by pair.
-- +goose Up
CREATE TABLE rate_fetches (
    id          uuid PRIMARY KEY,
    fetched_at  timestamptz NOT NULL,
    source      text NOT NULL, -- host
    base        text NOT NULL, -- codes of the pair
    quote       text NOT NULL,
    day         date,          -- of the rate; NULL without an answer
    rate        bigint,        -- as in exchange_rates; NULL without a rate
    outcome     text NOT NULL CHECK (outcome IN ('saved', 'unchanged', 'typed', 'refused', 'failed')),
    reason      text NOT NULL DEFAULT '',
    CHECK ((reason <> '') = (outcome IN ('refused', 'failed')))
);
CREATE INDEX rate_fetches_at ON rate_fetches (fetched_at);

ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit', 'tasks_lost', 'rate_not_fetched'));

-- +goose Down
DELETE FROM security_alerts WHERE kind = 'rate_not_fetched';
ALTER TABLE security_alerts DROP CONSTRAINT security_alerts_kind_check, ADD CONSTRAINT security_alerts_kind_check
    CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit', 'tasks_lost'));
DROP TABLE rate_fetches;
