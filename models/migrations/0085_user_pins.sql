-- The PIN by which a cashier logs in with one browser. client_hash is of the browser's client token, which a change of the password voids; tries are
-- the attempts since the last right one.
-- +goose Up
CREATE TABLE user_pins (
    user_id     uuid NOT NULL REFERENCES users (id),
    client_hash text NOT NULL,
    pin_hash    text NOT NULL,
    tries       smallint NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (user_id, client_hash)
);

-- +goose Down
DROP TABLE user_pins;
