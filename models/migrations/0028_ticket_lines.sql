-- +goose Up
-- The lines of tickets as every package but internal/tickets reads them, so that their storage can change behind it. Postgres puts
-- the view's query in its place, so a statement has the plan that it has on the table.
CREATE VIEW ticket_lines AS
    SELECT ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates
    FROM ticket_items;

-- +goose Down
DROP VIEW ticket_lines;
