-- +goose Up
-- The lists of sessions and devices, the newest first, and what was done to one object.
CREATE INDEX user_sessions_newest ON user_sessions (created_at, id);
CREATE INDEX devices_newest ON devices (created_at, id);
CREATE INDEX device_sessions_newest ON device_sessions (created_at, id);
CREATE INDEX device_sessions_user ON device_sessions (user_id, created_at);
CREATE INDEX activity_logs_target ON activity_logs (target, seq);

-- The postings as every package but internal/ledger reads them, so that their storage can change behind it.
CREATE VIEW wallet_postings AS SELECT transaction_id, wallet_id, amount, direct FROM postings;

-- +goose Down
DROP VIEW wallet_postings;
DROP INDEX user_sessions_newest, devices_newest, device_sessions_newest, device_sessions_user, activity_logs_target;
