-- The weekly settlements of entities: what each owes of a week, its participation, and the movements that paid it.
-- +goose Up

-- The weeks that were drafted, also where no entity had anything to settle. week is the Monday.
CREATE TABLE weekly_drafts (
    week         date NOT NULL CHECK (extract(isodow FROM week) = 1),
    currency_id  uuid NOT NULL REFERENCES currencies (id) ON DELETE CASCADE, -- of a currency that nothing uses
    drafted_at   timestamptz NOT NULL,
    drafted_by   uuid,
    PRIMARY KEY (currency_id, week)
);

-- sales are net; prizes are without those of weekly_adjustments; commissions are those of the entity and below, commissions_above those of the levels
-- above. result is sales less commissions, commissions_above and prizes. carried is the loss brought in, carry_out the one passed on. participation
-- includes the shares of the entities below; own_share does not. previous is what was owed before the week, moved what entities that
-- changed their place in the tree brought with them or took away. due is what the week adds.
CREATE TABLE weekly_settlements (
    id                 uuid PRIMARY KEY,
    week               date NOT NULL,
    entity_id          uuid NOT NULL REFERENCES entities (id),
    parent_id          uuid NOT NULL REFERENCES entities (id),
    currency_id        uuid NOT NULL REFERENCES currencies (id),
    sales              bigint NOT NULL,
    prizes             bigint NOT NULL,
    commissions        bigint NOT NULL,
    commissions_above  bigint NOT NULL,
    payments           bigint NOT NULL,
    result             bigint NOT NULL,
    rate               integer NOT NULL CHECK (rate BETWEEN 0 AND 10000),
    mode               text NOT NULL CHECK (mode IN ('CARRY', 'SHARED', 'NONE')),
    carried            bigint NOT NULL CHECK (carried <= 0),
    carry_out          bigint NOT NULL CHECK (carry_out <= 0),
    participation      bigint NOT NULL,
    own_share          bigint NOT NULL,
    adjustments        bigint NOT NULL,
    previous_id        uuid UNIQUE REFERENCES weekly_settlements (id),
    previous           bigint NOT NULL,
    moved              bigint NOT NULL,
    due                bigint NOT NULL,
    drafted_at         timestamptz NOT NULL,
    confirmed_at       timestamptz,
    confirmed_by       uuid,
    transaction_id     uuid UNIQUE,
    UNIQUE (entity_id, currency_id, week),
    FOREIGN KEY (currency_id, week) REFERENCES weekly_drafts (currency_id, week),
    CHECK (result = sales - commissions - commissions_above - prizes),
    CHECK (due = sales - prizes - commissions - participation - payments + adjustments),
    CHECK ((confirmed_at IS NULL) = (confirmed_by IS NULL)),
    CHECK (transaction_id IS NULL OR confirmed_at IS NOT NULL)
);
CREATE INDEX weekly_settlements_newest ON weekly_settlements (week DESC, id);
CREATE INDEX weekly_settlements_currency_week ON weekly_settlements (currency_id, week);
CREATE INDEX weekly_settlements_drafts ON weekly_settlements (week DESC, id) WHERE confirmed_at IS NULL;
CREATE INDEX weekly_settlements_parent ON weekly_settlements (parent_id, week);

-- What a correction of results changed in an earlier week: the prizes paid in that week by prizes, and its participation by participation.
CREATE TABLE weekly_adjustments (
    settlement_id  uuid NOT NULL REFERENCES weekly_settlements (id) ON DELETE CASCADE,
    restates_id    uuid NOT NULL REFERENCES weekly_settlements (id),
    prizes         bigint NOT NULL,
    participation  bigint NOT NULL,
    PRIMARY KEY (settlement_id, restates_id),
    CHECK (prizes <> 0 OR participation <> 0)
);
CREATE INDEX weekly_adjustments_restates ON weekly_adjustments (restates_id);

-- The movements that paid a settlement. One movement may pay those of an entity and of the entities above it, but one week of each.
CREATE TABLE weekly_payments (
    settlement_id   uuid NOT NULL REFERENCES weekly_settlements (id),
    entity_id       uuid NOT NULL,
    transaction_id  uuid NOT NULL REFERENCES wallet_movements (transaction_id),
    user_id         uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (entity_id, transaction_id)
);
CREATE INDEX weekly_payments_settlement ON weekly_payments (settlement_id);

-- Deposits, withdrawals and transfers, and whether they were reversed, for other domains to read.
CREATE VIEW payable_movements AS SELECT m.transaction_id, m.wallet_id, m.counterpart_id, m.kind, m.amount, m.reference, m.note, m.user_id, m.created_at,
        EXISTS (SELECT 1 FROM wallet_movements r WHERE r.reverses_id = m.transaction_id) AS reversed
    FROM wallet_movements m WHERE m.kind <> 'reversal';
CREATE INDEX wallet_movements_wallet ON wallet_movements (wallet_id, created_at DESC);

-- Differences by the time they were settled.
CREATE INDEX prize_differences_settled ON prize_differences (closed_at) WHERE status = 'settled';

-- A confirmed settlement never changes, nor do its adjustments.
-- +goose StatementBegin
CREATE FUNCTION weekly_settlements_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'weekly settlements: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE FUNCTION weekly_adjustments_of_drafts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM weekly_settlements s WHERE s.id = coalesce(NEW.settlement_id, OLD.settlement_id) AND s.confirmed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'weekly settlements: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
-- +goose StatementEnd
CREATE TRIGGER weekly_settlements_final BEFORE UPDATE OR DELETE ON weekly_settlements FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION weekly_settlements_refuse();
CREATE TRIGGER weekly_adjustments_final BEFORE INSERT OR UPDATE OR DELETE ON weekly_adjustments FOR EACH ROW EXECUTE FUNCTION weekly_adjustments_of_drafts();

-- A participation is a commission without a ticket; a close shows it apart.
ALTER TABLE daily_closes ADD COLUMN participations bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE daily_closes DROP COLUMN participations;
DROP TABLE weekly_payments, weekly_adjustments, weekly_settlements, weekly_drafts;
DROP FUNCTION weekly_settlements_refuse;
DROP FUNCTION weekly_adjustments_of_drafts;
DROP VIEW payable_movements;
DROP INDEX wallet_movements_wallet, prize_differences_settled;
