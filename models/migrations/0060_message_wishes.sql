-- What telephones asked for, also those that are no customer's yet.
-- +goose Up
-- opted_out is the newest wish of a telephone for an entity and those below it, wished_at the provider's instant of it.
CREATE TABLE message_wishes (
    phone      text NOT NULL,
    entity_id  uuid NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    opted_out  boolean NOT NULL,
    wished_at  timestamptz NOT NULL,
    PRIMARY KEY (phone, entity_id)
);
CREATE INDEX message_wishes_entity ON message_wishes (entity_id);
-- consent_at is when opt_out_at was last set or cleared, NULL if never.
ALTER TABLE customers ADD COLUMN consent_at timestamptz;
UPDATE customers SET consent_at = opt_out_at WHERE opt_out_at IS NOT NULL;
INSERT INTO message_wishes (phone, entity_id, opted_out, wished_at)
    SELECT c.phone, c.opt_out_scope, true, max(c.opt_out_at) FROM customers c JOIN entities e ON e.id = c.opt_out_scope
    WHERE c.opt_out_scope <> c.entity_id AND c.phone IS NOT NULL GROUP BY 1, 2;

-- +goose Down
ALTER TABLE customers DROP COLUMN consent_at;
DROP TABLE message_wishes;
