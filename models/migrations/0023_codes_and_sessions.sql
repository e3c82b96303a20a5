-- +goose Up
-- The source that requested the live code, hashed: another unknown source does not replace it.
ALTER TABLE one_time_codes ADD asked_by text NOT NULL DEFAULT '';

-- ends_at is the end that a person set; NULL where refreshes move the end. browser marks sessions of LoginBrowser, whose end
-- is at most twelve hours after the login. Of the sessions there are, only those of browsers end so soon after it.
ALTER TABLE user_sessions ADD ends_at timestamptz, ADD browser boolean NOT NULL DEFAULT false;
UPDATE user_sessions SET browser = true WHERE ended_at IS NULL AND expires_at <= created_at + interval '12 hours';

-- +goose Down
ALTER TABLE user_sessions DROP COLUMN ends_at, DROP COLUMN browser;
ALTER TABLE one_time_codes DROP COLUMN asked_by;
