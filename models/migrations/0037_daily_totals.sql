-- Totals by entity and business day, which reports read, and what they are counted from.
-- +goose Up

-- The places that entities have and had in the tree. A ticket names the place of its seller, so that a move of an entity changes no total
-- of the past. Kept by the trigger below, so that no way of moving an entity can forget it.
CREATE TABLE entity_paths (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path        text NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO entity_paths (path) SELECT path FROM entities ORDER BY path;
ALTER TABLE entities ADD COLUMN path_id integer REFERENCES entity_paths (id);
UPDATE entities e SET path_id = p.id FROM entity_paths p WHERE p.path = e.path;
ALTER TABLE entities ALTER COLUMN path_id SET NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION entities_keep_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO entity_paths (path) VALUES (NEW.path) ON CONFLICT DO NOTHING;
    SELECT id INTO NEW.path_id FROM entity_paths WHERE path = NEW.path;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER entities_path_kept BEFORE INSERT OR UPDATE OF path ON entities FOR EACH ROW EXECUTE FUNCTION entities_keep_path();

-- The place of the seller when the ticket was sold. NULL in tickets of before this migration: the seller's place now.
ALTER TABLE tickets ADD COLUMN path_id integer;

-- The transactions that inserted and annulled a winning line; 0 for those of before this migration.
ALTER TABLE winning_lines ADD COLUMN xid bigint NOT NULL DEFAULT 0, ADD COLUMN annulled_xid bigint;
ALTER TABLE winning_lines ALTER COLUMN xid SET DEFAULT pg_current_xact_id()::text::bigint;
UPDATE winning_lines SET annulled_xid = 0 WHERE annulled_at IS NOT NULL;
ALTER TABLE winning_lines ADD CHECK ((annulled_at IS NULL) = (annulled_xid IS NULL));
-- +goose StatementBegin
CREATE FUNCTION winning_lines_mark_annulled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.annulled_xid := pg_current_xact_id()::text::bigint;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER winning_lines_annulled_marked BEFORE UPDATE OF annulled_at ON winning_lines FOR EACH ROW WHEN (NEW.annulled_at IS NOT NULL AND OLD.annulled_at IS NULL)
    EXECUTE FUNCTION winning_lines_mark_annulled();
CREATE INDEX winning_lines_xid ON winning_lines USING brin (xid) WITH (autosummarize = on);
CREATE INDEX winning_lines_annulled ON winning_lines (annulled_xid) WHERE annulled_xid IS NOT NULL;

-- What a payment pays for each draw, as the lines had won when it was made. The amounts of a payment sum to its amount.
CREATE TABLE paid_prize_draws (
    paid_prize_id  uuid NOT NULL REFERENCES paid_prizes (id),
    draw_id        uuid NOT NULL,
    amount         bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (paid_prize_id, draw_id)
);
INSERT INTO paid_prize_draws (paid_prize_id, draw_id, amount)
    SELECT p.id, w.draw_id, sum(w.prize) FROM paid_prizes p JOIN winning_lines w ON w.ticket_id = p.ticket_id
        AND w.created_at <= p.paid_at AND (w.annulled_at IS NULL OR w.annulled_at > p.paid_at)
    GROUP BY p.id, w.draw_id;
-- A payment whose lines are not known any more is of the draw of the ticket's first line.
DELETE FROM paid_prize_draws d USING paid_prizes p WHERE p.id = d.paid_prize_id
    AND p.amount <> (SELECT sum(o.amount) FROM paid_prize_draws o WHERE o.paid_prize_id = p.id);
INSERT INTO paid_prize_draws (paid_prize_id, draw_id, amount)
    SELECT p.id, l.draw_id, p.amount FROM paid_prizes p JOIN ticket_lines l ON l.ticket_id = p.ticket_id
        AND l.line_no = (SELECT min(f.line_no) FROM ticket_lines f WHERE f.ticket_id = p.ticket_id)
    WHERE NOT EXISTS (SELECT 1 FROM paid_prize_draws o WHERE o.paid_prize_id = p.id);
-- +goose StatementBegin
CREATE FUNCTION paid_prizes_divide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO paid_prize_draws (paid_prize_id, draw_id, amount)
        SELECT NEW.id, draw_id, sum(prize) FROM winning_lines WHERE ticket_id = NEW.ticket_id AND annulled_at IS NULL GROUP BY draw_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER paid_prizes_divided AFTER INSERT ON paid_prizes FOR EACH ROW EXECUTE FUNCTION paid_prizes_divide();

-- Prizes that were not collected in time, by the time they expired.
CREATE INDEX tickets_expired ON tickets (expired_at) WHERE expired_at IS NOT NULL;

-- A refund is found by the transaction that it reverses.
CREATE UNIQUE INDEX draw_refunds_transaction ON draw_refunds (transaction_id);

-- What happened on a business day in the part of the tree below an entity, the entity included. parent_id is the entity above it at that time;
-- 0 for the operator. game_id is 0 for what belongs to no game: the numbers of tickets. Kept by the task rollup.advance.
CREATE TABLE daily_totals (
    entity_id                uuid NOT NULL,
    day                      date NOT NULL,
    currency_id              uuid NOT NULL,
    game_id                  uuid NOT NULL,
    parent_id                uuid NOT NULL,
    tickets                  bigint NOT NULL,
    voided_tickets           bigint NOT NULL,
    lines                    bigint NOT NULL,
    sold                     bigint NOT NULL,
    voided                   bigint NOT NULL,
    refunded                 bigint NOT NULL,
    commission_super_agency  bigint NOT NULL,
    commission_agency        bigint NOT NULL,
    commission_group         bigint NOT NULL,
    commission_ticket_point  bigint NOT NULL,
    won                      bigint NOT NULL,
    paid                     bigint NOT NULL,
    PRIMARY KEY (entity_id, day, currency_id, game_id, parent_id)
) WITH (fillfactor = 70);
CREATE INDEX daily_totals_parent ON daily_totals (parent_id, day);

-- The same figures of one ticket point by draw, at the place in the tree where the tickets were sold.
CREATE TABLE draw_totals (
    game_id                  uuid NOT NULL,
    path_id                  integer NOT NULL,
    day                      date NOT NULL,
    draw_id                  uuid NOT NULL,
    currency_id              uuid NOT NULL,
    lines                    bigint NOT NULL,
    sold                     bigint NOT NULL,
    voided                   bigint NOT NULL,
    refunded                 bigint NOT NULL,
    commission_super_agency  bigint NOT NULL,
    commission_agency        bigint NOT NULL,
    commission_group         bigint NOT NULL,
    commission_ticket_point  bigint NOT NULL,
    won                      bigint NOT NULL,
    paid                     bigint NOT NULL,
    PRIMARY KEY (game_id, path_id, day, draw_id, currency_id)
) WITH (fillfactor = 70);

-- +goose Down
DROP TABLE draw_totals, daily_totals;
DROP INDEX draw_refunds_transaction;
DROP INDEX tickets_expired;
DROP TRIGGER paid_prizes_divided ON paid_prizes;
DROP FUNCTION paid_prizes_divide();
DROP TABLE paid_prize_draws;
DROP TRIGGER winning_lines_annulled_marked ON winning_lines;
DROP FUNCTION winning_lines_mark_annulled();
DROP INDEX winning_lines_annulled, winning_lines_xid;
ALTER TABLE winning_lines DROP COLUMN annulled_xid, DROP COLUMN xid;
ALTER TABLE tickets DROP COLUMN path_id;
DROP TRIGGER entities_path_kept ON entities;
ALTER TABLE entities DROP COLUMN path_id;
DROP FUNCTION entities_keep_path();
DROP TABLE entity_paths;
