-- The list of actions leaves out logins and logouts, which may be most of the entries: its pages and its count read no entry that they leave out.
-- +goose NO TRANSACTION
-- +goose Up
-- The drop removes what an interrupted migration left.
DROP INDEX CONCURRENTLY IF EXISTS activity_logs_changes;
CREATE INDEX CONCURRENTLY activity_logs_changes ON activity_logs (seq DESC, id DESC) WHERE module <> 'auth' OR action NOT IN ('login', 'logout');

-- +goose Down
DROP INDEX activity_logs_changes;
