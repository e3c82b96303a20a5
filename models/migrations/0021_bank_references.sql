-- A payment's reference has 1 to 36 digits: some banks number the payments of a day from 1.
-- +goose Up
ALTER TABLE payment_requests DROP CONSTRAINT payment_requests_reference_check;
ALTER TABLE payment_requests ADD CONSTRAINT payment_requests_reference_check CHECK (reference ~ '^[0-9]{1,36}$');

-- +goose Down
ALTER TABLE payment_requests DROP CONSTRAINT payment_requests_reference_check;
ALTER TABLE payment_requests ADD CONSTRAINT payment_requests_reference_check CHECK (reference ~ '^[0-9]{4,36}$') NOT VALID;
