-- Whether sale_stop_at was given for the draw itself. Otherwise it follows the game's setting or, where the game has
-- none, an earlier stop that a seller inherits.
-- +goose Up
ALTER TABLE draws ADD COLUMN sale_stop_explicit boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE draws DROP COLUMN sale_stop_explicit;
