-- The life of a draw after its sales: its closing, its results, who won, and what is given back.
-- +goose Up

-- What a game's rules were in each version: a ticket's line names the version it was sold under, and is
-- decided by it whatever the game says by then. The triggers below keep this table, so that no way of
-- changing a game can forget it.
CREATE TABLE game_rules (
    game_id        uuid NOT NULL,
    version        integer NOT NULL,
    mechanics      jsonb NOT NULL,
    betting_rules  jsonb NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (game_id, version)
);
INSERT INTO game_rules (game_id, version, mechanics, betting_rules) SELECT id, rule_version, mechanics, betting_rules FROM games;

-- +goose StatementBegin
CREATE FUNCTION games_number_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.mechanics IS DISTINCT FROM OLD.mechanics OR NEW.betting_rules IS DISTINCT FROM OLD.betting_rules THEN
        NEW.rule_version := OLD.rule_version + 1;
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION games_keep_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO game_rules (game_id, version, mechanics, betting_rules) VALUES (NEW.id, NEW.rule_version, NEW.mechanics, NEW.betting_rules);
    RETURN NULL;
END $$;
CREATE FUNCTION game_rules_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'catalogue: % on % is not allowed', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER games_rules_numbered BEFORE UPDATE ON games FOR EACH ROW EXECUTE FUNCTION games_number_rules();
CREATE TRIGGER games_rules_kept AFTER INSERT ON games FOR EACH ROW EXECUTE FUNCTION games_keep_rules();
CREATE TRIGGER games_rules_kept_anew AFTER UPDATE ON games FOR EACH ROW WHEN (NEW.rule_version <> OLD.rule_version) EXECUTE FUNCTION games_keep_rules();
CREATE TRIGGER game_rules_append_only BEFORE UPDATE OR DELETE ON game_rules FOR EACH STATEMENT EXECUTE FUNCTION game_rules_refuse();

-- opens_at: a scheduled draw is opened then. seal is a hash over what was sold when the draw closed, see
-- internal/draws/seal.go. Each target of a closing has its own mark: closed_at, cache_closed_at (Redis),
-- external_closed_at (the lottery's own system). poll_next_at is when its result is to be asked for next; null
-- when nobody is to ask. result_id is its verified result.
ALTER TABLE draws
    ADD COLUMN opens_at            timestamptz,
    ADD COLUMN seal                bytea,
    ADD COLUMN sealed_tickets      integer,
    ADD COLUMN cache_closed_at     timestamptz,
    ADD COLUMN external_closed_at  timestamptz,
    ADD COLUMN external_attempts   integer NOT NULL DEFAULT 0,
    ADD COLUMN poll_attempts       integer NOT NULL DEFAULT 0,
    ADD COLUMN poll_next_at        timestamptz,
    ADD COLUMN result_id           uuid,
    ADD COLUMN settled_at          timestamptz,
    ADD COLUMN suspended_at        timestamptz,
    ADD COLUMN suspended_by        uuid,
    ADD COLUMN suspend_reason      text NOT NULL DEFAULT '',
    ADD COLUMN refunded_at         timestamptz;
CREATE INDEX draws_to_poll ON draws (poll_next_at) WHERE poll_next_at IS NOT NULL;
CREATE INDEX draws_of_game ON draws (game_id, draw_time);

-- Versions of what came out. A draw has at most one verified result and at most one that awaits a second
-- person. A verified one is never changed but superseded by a later version.
CREATE TABLE results (
    id           uuid PRIMARY KEY,
    draw_id      uuid NOT NULL REFERENCES draws (id),
    version      integer NOT NULL CHECK (version > 0),
    value        text NOT NULL CHECK (value ~ '^[0-9]{1,4}$'),
    sign         text NOT NULL DEFAULT '',
    wildcard     text NOT NULL DEFAULT '',
    flags        text[] NOT NULL DEFAULT '{}',
    status       text NOT NULL CHECK (status IN ('proposed', 'verified', 'superseded', 'rejected')),
    origin       text NOT NULL CHECK (origin IN ('typed', 'fetched', 'derived')),
    source       text NOT NULL DEFAULT '',
    evidence     jsonb NOT NULL DEFAULT '{}',
    supersedes   uuid REFERENCES results (id),
    reason       text NOT NULL DEFAULT '',
    entered_by   uuid,
    entered_at   timestamptz NOT NULL,
    verified_by  uuid,
    verified_at  timestamptz,
    closed_at    timestamptz,
    closed_by    uuid,
    UNIQUE (draw_id, version),
    CHECK ((origin = 'typed') = (entered_by IS NOT NULL)),
    CHECK (verified_by IS NULL OR verified_by IS DISTINCT FROM entered_by),
    CHECK (status NOT IN ('verified', 'superseded') OR verified_at IS NOT NULL),
    CHECK (origin <> 'typed' OR status NOT IN ('verified', 'superseded') OR verified_by IS NOT NULL)
);
CREATE UNIQUE INDEX results_verified ON results (draw_id) WHERE status = 'verified';
CREATE UNIQUE INDEX results_proposed ON results (draw_id) WHERE status = 'proposed' AND origin = 'typed';
CREATE UNIQUE INDEX results_fetched ON results (draw_id, source) WHERE status = 'proposed' AND origin <> 'typed';
ALTER TABLE draws ADD CONSTRAINT draws_result FOREIGN KEY (result_id) REFERENCES results (id);

-- Every answer of an external source about a draw. The same answer again is counted and not kept twice.
CREATE TABLE result_fetches (
    id            uuid PRIMARY KEY,
    draw_id       uuid NOT NULL REFERENCES draws (id),
    source        text NOT NULL,
    digest        bytea NOT NULL,
    outcome       text NOT NULL,
    url           text NOT NULL DEFAULT '',
    status_code   integer NOT NULL DEFAULT 0,
    body          bytea,
    detail        text NOT NULL DEFAULT '',
    duration_ms   integer NOT NULL DEFAULT 0,
    repeats       integer NOT NULL DEFAULT 0,
    fetched_at    timestamptz NOT NULL,
    last_at       timestamptz NOT NULL,
    UNIQUE (draw_id, source, digest)
);

-- What somebody should look at, once a draw and kind.
CREATE TABLE draw_alerts (
    id               uuid PRIMARY KEY,
    draw_id          uuid NOT NULL REFERENCES draws (id),
    kind             text NOT NULL CHECK (kind IN ('no_result', 'contradiction', 'differs', 'malformed', 'close_failed', 'seal_broken')),
    detail           text NOT NULL DEFAULT '',
    count            bigint NOT NULL DEFAULT 1,
    first_at         timestamptz NOT NULL,
    last_at          timestamptz NOT NULL,
    acknowledged_by  uuid,
    acknowledged_at  timestamptz,
    UNIQUE (draw_id, kind)
);
CREATE INDEX draw_alerts_last ON draw_alerts (last_at DESC);

-- prize is what the lines that won are worth together, known once every line is decided. refunded is what
-- suspended draws gave back, in that many refunds; the rest of total stays sold.
ALTER TABLE tickets
    ADD COLUMN prize       bigint NOT NULL DEFAULT 0 CHECK (prize >= 0),
    ADD COLUMN settled_at  timestamptz,
    ADD COLUMN expired_at  timestamptz,
    ADD COLUMN refunded    bigint NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND total),
    ADD COLUMN refunds     smallint NOT NULL DEFAULT 0;
CREATE INDEX tickets_to_expire ON tickets (expires_at) WHERE status = 'won' AND expired_at IS NULL;

-- The lines that won, by the result that decided them. A correction annuls them and files new ones.
CREATE TABLE winning_lines (
    ticket_id    uuid NOT NULL,
    line_no      smallint NOT NULL,
    result_id    uuid NOT NULL,
    draw_id      uuid NOT NULL,
    prize        bigint NOT NULL CHECK (prize > 0),
    created_at   timestamptz NOT NULL,
    annulled_by  uuid,
    annulled_at  timestamptz,
    PRIMARY KEY (ticket_id, line_no, result_id),
    CHECK ((annulled_by IS NULL) = (annulled_at IS NULL))
);
CREATE UNIQUE INDEX winning_lines_live ON winning_lines (ticket_id, line_no) WHERE annulled_at IS NULL;
CREATE INDEX winning_lines_draw ON winning_lines (draw_id, ticket_id);

-- Bets that run over several draws of a game (dupleta, tripleta), from the first one on.
CREATE TABLE window_bets (
    ticket_id   uuid NOT NULL,
    line_no     smallint NOT NULL,
    game_id     uuid NOT NULL,
    draw_id     uuid NOT NULL,
    draw_time   timestamptz NOT NULL,
    draws       smallint NOT NULL CHECK (draws > 0),
    codes       text[] NOT NULL,
    prize       bigint NOT NULL,
    state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'won', 'lost')),
    PRIMARY KEY (ticket_id, line_no)
);
CREATE INDEX window_bets_game ON window_bets (game_id, draw_time);
CREATE INDEX window_bets_pending ON window_bets (game_id, draw_time) WHERE state = 'pending';
CREATE INDEX window_bets_draw ON window_bets (draw_id);

-- What a suspended draw gave back of each ticket.
CREATE TABLE draw_refunds (
    draw_id         uuid NOT NULL,
    ticket_id       uuid NOT NULL,
    amount          bigint NOT NULL CHECK (amount > 0),
    transaction_id  uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (draw_id, ticket_id)
);
CREATE INDEX draw_refunds_ticket ON draw_refunds (ticket_id);

-- What a correction changed in a day that may be closed already, for that day's entity and currency.
CREATE TABLE result_adjustments (
    result_id    uuid NOT NULL REFERENCES results (id),
    entity_id    uuid NOT NULL,
    currency_id  uuid NOT NULL,
    local_date   date NOT NULL,
    tickets      integer NOT NULL,
    before       bigint NOT NULL,
    after        bigint NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (result_id, entity_id, currency_id, local_date)
);

-- Prizes that were paid out. A ticket has at most one payment that was not taken back.
CREATE TABLE paid_prizes (
    id                     uuid PRIMARY KEY,
    ticket_id              uuid NOT NULL,
    entity_id              uuid NOT NULL,
    wallet_id              uuid NOT NULL,
    currency_id            uuid NOT NULL,
    amount                 bigint NOT NULL CHECK (amount > 0),
    transaction_id         uuid NOT NULL UNIQUE,
    paid_by                uuid NOT NULL,
    paid_at                timestamptz NOT NULL,
    cancelled_by           uuid,
    cancelled_at           timestamptz,
    cancel_transaction_id  uuid UNIQUE,
    cancel_reason          text NOT NULL DEFAULT '',
    CHECK ((cancelled_at IS NULL) = (cancel_transaction_id IS NULL)),
    CHECK ((cancelled_at IS NULL) = (cancelled_by IS NULL))
);
CREATE UNIQUE INDEX paid_prizes_once ON paid_prizes (ticket_id) WHERE cancelled_at IS NULL;
CREATE INDEX paid_prizes_ticket ON paid_prizes (ticket_id);
CREATE INDEX paid_prizes_entity ON paid_prizes (entity_id, paid_at DESC);

-- A paid prize that a correction made wrong: paid more than due is a receivable, less is owed to the customer.
CREATE TABLE prize_differences (
    id             uuid PRIMARY KEY,
    ticket_id      uuid NOT NULL,
    paid_prize_id  uuid NOT NULL REFERENCES paid_prizes (id),
    result_id      uuid NOT NULL REFERENCES results (id),
    entity_id      uuid NOT NULL,
    currency_id    uuid NOT NULL,
    paid           bigint NOT NULL,
    due            bigint NOT NULL,
    status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'settled', 'written_off', 'void')),
    created_at     timestamptz NOT NULL,
    closed_at      timestamptz,
    closed_by      uuid,
    note           text NOT NULL DEFAULT '',
    CHECK (paid <> due),
    CHECK ((status = 'open') = (closed_at IS NULL))
);
CREATE UNIQUE INDEX prize_differences_open ON prize_differences (ticket_id) WHERE status = 'open';
CREATE INDEX prize_differences_entity ON prize_differences (entity_id, created_at DESC);

-- +goose Down
DROP TABLE prize_differences, paid_prizes, result_adjustments, draw_refunds, window_bets, winning_lines;
DROP INDEX tickets_to_expire;
ALTER TABLE tickets DROP COLUMN prize, DROP COLUMN settled_at, DROP COLUMN expired_at, DROP COLUMN refunded, DROP COLUMN refunds;
DROP TABLE draw_alerts, result_fetches;
ALTER TABLE draws DROP CONSTRAINT draws_result;
DROP TABLE results;
DROP INDEX draws_to_poll, draws_of_game;
ALTER TABLE draws DROP COLUMN opens_at, DROP COLUMN seal, DROP COLUMN sealed_tickets, DROP COLUMN cache_closed_at, DROP COLUMN external_closed_at,
    DROP COLUMN external_attempts, DROP COLUMN poll_attempts, DROP COLUMN poll_next_at, DROP COLUMN result_id, DROP COLUMN settled_at,
    DROP COLUMN suspended_at, DROP COLUMN suspended_by, DROP COLUMN suspend_reason, DROP COLUMN refunded_at;
DROP TRIGGER games_rules_kept_anew ON games;
DROP TRIGGER games_rules_kept ON games;
DROP TRIGGER games_rules_numbered ON games;
DROP TABLE game_rules;
DROP FUNCTION game_rules_refuse(), games_keep_rules(), games_number_rules();
