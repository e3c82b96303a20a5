-- Daily exchange rates, which show equivalents only.
-- +goose Up

-- One unit of the base is rate / 10^8 units of the quote. A pair is quoted in one direction on a day. A typed rate has a user and is
-- never replaced by a fetched one.
CREATE TABLE exchange_rates (
    base_id     uuid NOT NULL REFERENCES currencies (id),
    quote_id    uuid NOT NULL REFERENCES currencies (id),
    day         date NOT NULL,
    rate        bigint NOT NULL CHECK (rate > 0),
    source      text NOT NULL CHECK (source IN ('typed', 'fetched')),
    user_id     uuid,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (base_id, quote_id, day),
    CHECK (base_id <> quote_id),
    CHECK ((source = 'typed') = (user_id IS NOT NULL))
);
CREATE UNIQUE INDEX exchange_rates_pair ON exchange_rates (least(base_id, quote_id), greatest(base_id, quote_id), day);
CREATE INDEX exchange_rates_quote ON exchange_rates (quote_id, day);

-- +goose Down
DROP TABLE exchange_rates;
