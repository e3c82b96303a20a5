-- +goose Up
-- NULL for a request without a valid token or session, and for requests of earlier releases.
ALTER TABLE request_logs ADD COLUMN user_id uuid;

-- +goose Down
ALTER TABLE request_logs DROP COLUMN user_id;
