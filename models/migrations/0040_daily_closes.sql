-- The daily closes of entities. A close of a ticket point has the events of its wallet that the close before it did not see:
-- seen are the transactions that it saw, ends_at is the end of its business day. A close of an entity above has the closes of
-- daily_close_parts. A closed row never changes.
-- +goose Up
CREATE OR REPLACE VIEW wallet_postings AS SELECT transaction_id, wallet_id, amount, direct, created_at FROM postings;

CREATE TABLE daily_closes (
    id            uuid PRIMARY KEY,
    entity_id     uuid NOT NULL REFERENCES entities (id),
    currency_id   uuid NOT NULL REFERENCES currencies (id),
    wallet_id     uuid REFERENCES wallets (id),
    day           date NOT NULL,
    status        text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    opening_cash  bigint NOT NULL DEFAULT 0 CHECK (opening_cash >= 0),
    sales         bigint NOT NULL DEFAULT 0,
    voids         bigint NOT NULL DEFAULT 0,
    refunds       bigint NOT NULL DEFAULT 0,
    prizes        bigint NOT NULL DEFAULT 0,
    commissions   bigint NOT NULL DEFAULT 0,
    deposits      bigint NOT NULL DEFAULT 0,
    withdrawals   bigint NOT NULL DEFAULT 0,
    tickets       bigint NOT NULL DEFAULT 0,
    voided        bigint NOT NULL DEFAULT 0,
    refunded      bigint NOT NULL DEFAULT 0,
    paid          bigint NOT NULL DEFAULT 0,
    late_events   bigint NOT NULL DEFAULT 0,
    late_net      bigint NOT NULL DEFAULT 0,
    counted_cash  bigint CHECK (counted_cash >= 0),
    counts        jsonb NOT NULL DEFAULT '[]',
    note          text NOT NULL DEFAULT '',
    previous_id   uuid UNIQUE REFERENCES daily_closes (id),
    seen          pg_snapshot,
    ends_at       timestamptz,
    opened_by     uuid,
    opened_at     timestamptz NOT NULL,
    closed_by     uuid,
    closed_at     timestamptz,
    UNIQUE (entity_id, currency_id, day),
    CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CHECK ((status = 'closed' AND wallet_id IS NOT NULL) = (seen IS NOT NULL)),
    CHECK ((status = 'closed' AND wallet_id IS NOT NULL) = (ends_at IS NOT NULL))
);
CREATE INDEX daily_closes_newest ON daily_closes (day DESC, id DESC);
CREATE INDEX daily_closes_wallet ON daily_closes (wallet_id, day DESC) WHERE status = 'closed';
CREATE UNIQUE INDEX daily_closes_first ON daily_closes (wallet_id) WHERE status = 'closed' AND previous_id IS NULL;
CREATE INDEX daily_closes_open ON daily_closes (entity_id, currency_id, day) WHERE status = 'open';

-- The closes that the close of an entity above sums; each is in one of them.
CREATE TABLE daily_close_parts (
    part_id   uuid PRIMARY KEY REFERENCES daily_closes (id),
    close_id  uuid NOT NULL REFERENCES daily_closes (id)
);
CREATE INDEX daily_close_parts_close ON daily_close_parts (close_id);

-- +goose StatementBegin
CREATE FUNCTION daily_closes_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'closes: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd

CREATE TRIGGER daily_closes_final BEFORE UPDATE ON daily_closes FOR EACH ROW WHEN (OLD.status = 'closed') EXECUTE FUNCTION daily_closes_refuse();
CREATE TRIGGER daily_closes_kept BEFORE DELETE OR TRUNCATE ON daily_closes FOR EACH STATEMENT EXECUTE FUNCTION daily_closes_refuse();
CREATE TRIGGER daily_close_parts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON daily_close_parts FOR EACH STATEMENT EXECUTE FUNCTION daily_closes_refuse();

-- +goose Down
DROP TABLE daily_close_parts, daily_closes;
DROP FUNCTION daily_closes_refuse;
DROP VIEW wallet_postings;
CREATE VIEW wallet_postings AS SELECT transaction_id, wallet_id, amount, direct FROM postings;
