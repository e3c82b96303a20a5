-- The drawer of a ticket point passes from one cashier to the next within an open day. A row is written when the drawer is counted and given, and completed
-- once, by the cashier who takes it. One drawer waits at a time.
-- +goose Up
CREATE TABLE cash_handovers (
    id            uuid PRIMARY KEY,
    close_id      uuid NOT NULL REFERENCES daily_closes (id),
    expected_cash bigint NOT NULL,
    counted_cash  bigint NOT NULL CHECK (counted_cash >= 0),
    counts        jsonb NOT NULL DEFAULT '[]',
    note          text NOT NULL DEFAULT '',
    given_by      uuid NOT NULL,
    given_at      timestamptz NOT NULL,
    taken_by      uuid,
    taken_at      timestamptz,
    CHECK ((taken_by IS NULL) = (taken_at IS NULL)),
    CHECK (taken_by <> given_by)
);
CREATE INDEX cash_handovers_close ON cash_handovers (close_id, given_at);
CREATE UNIQUE INDEX cash_handovers_waiting ON cash_handovers (close_id) WHERE taken_at IS NULL;

CREATE TRIGGER cash_handovers_final BEFORE UPDATE ON cash_handovers FOR EACH ROW WHEN (OLD.taken_at IS NOT NULL) EXECUTE FUNCTION daily_closes_refuse();
CREATE TRIGGER cash_handovers_kept BEFORE DELETE OR TRUNCATE ON cash_handovers FOR EACH STATEMENT EXECUTE FUNCTION daily_closes_refuse();

-- +goose Down
DROP TABLE cash_handovers;
