-- +goose Up
-- What tickets were paid with by business day, of an entity with everything below it: by means and currency besides cash in the currency of the ticket,
-- which is the rest of the sales. amount is in the currency of the means, less change and cancelled tickets; sold and voided are in that of the ticket.
CREATE TABLE means_totals (
    entity_id          uuid NOT NULL,
    day                date NOT NULL,
    currency_id        uuid NOT NULL,
    means              text NOT NULL,
    means_currency_id  uuid NOT NULL,
    amount             bigint NOT NULL,
    sold               bigint NOT NULL,
    voided             bigint NOT NULL,
    PRIMARY KEY (entity_id, day, currency_id, means, means_currency_id)
) WITH (fillfactor = 70);

-- +goose Down
DROP TABLE means_totals;
DELETE FROM feeds WHERE name = 'means_totals';
