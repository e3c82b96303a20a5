-- +goose Up
-- The outcome of each run of ledger.verify, so that a page can say when the books were last proved. A run a day.
CREATE TABLE ledger_verifications (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    verified_at  timestamptz NOT NULL DEFAULT clock_timestamp(), -- when the checks had ended
    took         interval NOT NULL,
    checks       integer NOT NULL,
    broken       integer NOT NULL,
    warnings     integer NOT NULL
);
CREATE INDEX ledger_verifications_at ON ledger_verifications (verified_at);

-- +goose Down
DROP TABLE ledger_verifications;
