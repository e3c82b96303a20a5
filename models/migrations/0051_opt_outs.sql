-- Customers who want no messages, and the messages by which they said so.
-- +goose Up

-- opt_out_scope is the entity below which no messages are sent: that of the connection that the customer wrote to, or of the customer.
ALTER TABLE customers
    ADD COLUMN opt_out_at    timestamptz,
    ADD COLUMN opt_out_scope uuid,
    ADD CHECK ((opt_out_at IS NULL) = (opt_out_scope IS NULL));
CREATE INDEX customers_phone ON customers (phone) WHERE phone IS NOT NULL;

-- The inbound messages that were acted on: providers repeat their webhooks.
CREATE TABLE message_inbound (
    channel_id  uuid NOT NULL,
    provider_id text NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (channel_id, provider_id)
);
CREATE INDEX message_inbound_received ON message_inbound (received_at);

-- +goose Down
DROP TABLE message_inbound;
DROP INDEX customers_phone;
ALTER TABLE customers DROP COLUMN opt_out_at, DROP COLUMN opt_out_scope;
