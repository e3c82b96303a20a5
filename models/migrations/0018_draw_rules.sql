-- A draw is sold on by no rules older than these: what its game draws was narrowed since.
-- +goose Up
ALTER TABLE draws ADD min_rule_version integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE draws DROP min_rule_version;
