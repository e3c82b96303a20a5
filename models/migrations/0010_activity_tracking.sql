-- +goose Up

-- Written together with users.last_activity_at for many sessions at once, every few seconds; no index, so that the
-- new version of a row stays on its page.
ALTER TABLE user_sessions ADD COLUMN last_seen_at timestamptz;

-- +goose Down

ALTER TABLE user_sessions DROP COLUMN last_seen_at;
