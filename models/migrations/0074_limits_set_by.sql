-- +goose Up
-- The entity whose user set a limit: only its users and those of entities above may raise or remove the limit. NULL is the operator.
ALTER TABLE risk_limits ADD COLUMN set_by uuid;
UPDATE risk_limits l SET set_by = u.entity_id FROM users u WHERE u.id = l.created_by;

-- +goose Down
ALTER TABLE risk_limits DROP COLUMN set_by;
