-- A limit goes with the entity or the draw that it names, so that only the owner of the table writes it.
-- +goose Up
ALTER TABLE risk_limits
    DROP CONSTRAINT risk_limits_entity_id_fkey,
    ADD CONSTRAINT risk_limits_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES entities (id) ON DELETE CASCADE,
    DROP CONSTRAINT risk_limits_draw_id_fkey,
    ADD CONSTRAINT risk_limits_draw_id_fkey FOREIGN KEY (draw_id) REFERENCES draws (id) ON DELETE CASCADE;

-- +goose Down
ALTER TABLE risk_limits
    DROP CONSTRAINT risk_limits_entity_id_fkey,
    ADD CONSTRAINT risk_limits_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES entities (id),
    DROP CONSTRAINT risk_limits_draw_id_fkey,
    ADD CONSTRAINT risk_limits_draw_id_fkey FOREIGN KEY (draw_id) REFERENCES draws (id);
