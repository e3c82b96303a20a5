-- +goose Up
-- The person who last gave the account its credentials: made it, reset its password or set its phone. NULL where its user alone did.
ALTER TABLE users ADD credentials_by uuid, ADD credentials_at timestamptz;

-- +goose Down
ALTER TABLE users DROP COLUMN credentials_by, DROP COLUMN credentials_at;
