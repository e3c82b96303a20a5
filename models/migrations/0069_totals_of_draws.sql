-- +goose Up
-- The totals of the draws of a day, which the board of the day reads.
CREATE INDEX draw_totals_draw ON draw_totals (draw_id);

-- +goose Down
DROP INDEX draw_totals_draw;
