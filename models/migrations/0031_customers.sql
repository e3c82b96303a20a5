-- Customers that are searched, merged and forgotten. search_name is the name as it is searched: lower case, without accents,
-- words separated by one space. merged_into names the customer that replaces the row, which is never merged itself.
-- +goose Up
ALTER TABLE customers
    ALTER COLUMN phone DROP NOT NULL,
    ADD COLUMN email text,
    ADD COLUMN search_name text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN merged_into uuid REFERENCES customers (id),
    ADD COLUMN deleted_at timestamptz,
    ADD CHECK (merged_into IS DISTINCT FROM id),
    ADD CHECK (CASE WHEN deleted_at IS NULL THEN phone IS NOT NULL OR merged_into IS NOT NULL
        ELSE name = '' AND search_name = '' AND phone IS NULL AND email IS NULL AND id_document IS NULL END);
UPDATE customers SET search_name = btrim(regexp_replace(lower(regexp_replace(normalize(name, NFD), '[\u0300-\u036f]', '', 'g')), '\s+', ' ', 'g'));

-- A search reads the customers of an entity in the order of their names, from the index alone.
CREATE INDEX customers_search ON customers (entity_id, search_name, id) INCLUDE (phone) WHERE merged_into IS NULL AND deleted_at IS NULL;
CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX tickets_customer ON tickets (customer_id, id DESC) WHERE customer_id IS NOT NULL;
CREATE INDEX payment_requests_history ON payment_requests (entity_id, client_number);

-- A message keeps no recipient after its customer is deleted.
ALTER TABLE message_logs ALTER COLUMN recipient DROP NOT NULL;

-- +goose Down
DROP INDEX payment_requests_history, tickets_customer, customers_merged, customers_search;
ALTER TABLE customers DROP COLUMN deleted_at, DROP COLUMN merged_into, DROP COLUMN search_name, DROP COLUMN email;
