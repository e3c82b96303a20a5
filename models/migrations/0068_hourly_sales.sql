-- +goose Up
-- Net sales by business day and hour, of an entity with everything below it. Rows of some weeks ago are deleted.
CREATE TABLE hourly_sales (
    entity_id    uuid NOT NULL,
    day          date NOT NULL,
    currency_id  uuid NOT NULL,
    hour         smallint NOT NULL CHECK (hour BETWEEN 0 AND 23),
    sold         bigint NOT NULL,
    PRIMARY KEY (entity_id, day, currency_id, hour)
) WITH (fillfactor = 70);

-- +goose Down
DROP TABLE hourly_sales;
DELETE FROM feeds WHERE name = 'hourly_sales';
