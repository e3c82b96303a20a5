-- The id of the operator is not the zero id, which also means "no parent" and "no game" in the totals. Earlier releases took it from a setting
-- whose default was the zero id. The activity log is append-only and keeps the zero id in its entries; the operator sees them.
-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    zero CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    fresh CONSTANT uuid := gen_random_uuid();
    part record;
BEGIN
    IF NOT EXISTS (SELECT FROM entities WHERE id = zero) THEN
        RETURN;
    END IF;
    CREATE TEMPORARY TABLE renumbered ON COMMIT DROP AS
        SELECT k.conrelid::regclass AS tab, a.attname AS col, k.conname AS fk FROM pg_constraint k
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND k.conkey = ARRAY[a.attnum]
            WHERE k.contype = 'f' AND k.confrelid = 'entities'::regclass AND k.conparentid = 0
        UNION ALL SELECT c.oid::regclass, a.attname, NULL FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attname IN ('entity_id', 'opt_out_scope')
            AND c.relname <> 'activity_logs'
            AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid = 'entities'::regclass AND k.conkey = ARRAY[a.attnum]);

    FOR part IN SELECT DISTINCT tab FROM renumbered UNION SELECT 'entities'::regclass UNION SELECT 'entity_paths'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', part.tab);
    END LOOP;
    FOR part IN SELECT tab, fk FROM renumbered WHERE fk IS NOT NULL LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY DEFERRED', part.tab, part.fk);
    END LOOP;

    -- The operator's own totals have no parent; those of the entities below it have the operator.
    UPDATE daily_totals SET parent_id = fresh WHERE parent_id = zero AND entity_id <> zero;
    FOR part IN SELECT tab, col FROM renumbered LOOP
        EXECUTE format('UPDATE %s SET %I = $1 WHERE %I = $2', part.tab, part.col, part.col) USING fresh, zero;
    END LOOP;
    UPDATE entity_paths SET path = replace(path, zero::text, fresh::text) WHERE path LIKE '/' || zero::text || '/%';
    UPDATE entities SET id = CASE id WHEN zero THEN fresh ELSE id END, path = replace(path, zero::text, fresh::text) WHERE path LIKE '/' || zero::text || '/%';
    UPDATE message_resends SET scope = replace(scope, zero::text, fresh::text) WHERE scope LIKE '/' || zero::text || '/%';

    SET CONSTRAINTS ALL IMMEDIATE;
    FOR part IN SELECT tab, fk FROM renumbered WHERE fk IS NOT NULL LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', part.tab, part.fk);
    END LOOP;
    FOR part IN SELECT DISTINCT tab FROM renumbered UNION SELECT 'entities'::regclass UNION SELECT 'entity_paths'::regclass LOOP
        EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', part.tab);
    END LOOP;
    DROP TABLE renumbered;
END $$;
-- +goose StatementEnd
ALTER TABLE entities ADD CONSTRAINT entities_id_given CHECK (id <> '00000000-0000-0000-0000-000000000000');

-- +goose Down
ALTER TABLE entities DROP CONSTRAINT entities_id_given;
