-- Start pages count the open alerts of draws by their causes; alerts are kept, and few of them are open.
-- +goose Up
CREATE INDEX draw_alerts_open ON draw_alerts (kind, last_at DESC) WHERE acknowledged_at IS NULL;

-- +goose Down
DROP INDEX draw_alerts_open;
