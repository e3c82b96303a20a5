-- +goose Up
-- One row for each time another person gave an account its credentials: created it, reset its password or changed its phone. Rows older
-- than SECOND_PERSON_WAIT are deleted by session.expire.
CREATE TABLE account_credentials (
    user_id  uuid        NOT NULL REFERENCES users (id),
    given_by uuid        NOT NULL,
    given_at timestamptz NOT NULL
);
CREATE INDEX account_credentials_user_idx ON account_credentials (user_id, given_at);
CREATE INDEX account_credentials_given_at_idx ON account_credentials (given_at);
INSERT INTO account_credentials (user_id, given_by, given_at)
    SELECT id, credentials_by, credentials_at FROM users WHERE credentials_by IS NOT NULL AND credentials_at IS NOT NULL;
ALTER TABLE users DROP COLUMN credentials_by, DROP COLUMN credentials_at;

-- +goose Down
ALTER TABLE users ADD credentials_by uuid, ADD credentials_at timestamptz;
UPDATE users u SET credentials_by = c.given_by, credentials_at = c.given_at
    FROM (SELECT DISTINCT ON (user_id) * FROM account_credentials ORDER BY user_id, given_at DESC) c WHERE c.user_id = u.id;
DROP TABLE account_credentials;
