-- +goose Up
-- What the first owner of a database decides in the browser (internal/setup). The row holds the hash of the one-time code until the first administrator
-- exists, and afterwards the answers that no other table has.
CREATE TABLE first_setup (
    one          boolean PRIMARY KEY DEFAULT true CHECK (one),
    code_hash    bytea,
    code_at      timestamptz,
    zone         text NOT NULL DEFAULT '',
    default_rate text NOT NULL DEFAULT '',
    done_at      timestamptz
);

-- The token and the addresses of the bank where the configuration has none (internal/bank). Of the token only its hash and its end are known.
CREATE TABLE bank_access (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    token_hash bytea,
    token_end  text NOT NULL DEFAULT '',
    addresses  text[] NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE bank_access;
DROP TABLE first_setup;
