-- Elements that are retired, days that are planned by hand, and pictures of the catalogue.
-- +goose Up

-- A retired element cannot be bet on and keeps its name for the tickets that named it.
ALTER TABLE game_elements ADD status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'retired'));

-- Days whose draws were given one by one: the schedule neither adds to them nor takes from them.
CREATE TABLE planned_days (
    game_id     uuid NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    local_date  date NOT NULL,
    PRIMARY KEY (game_id, local_date)
);

-- Objects of the catalogue in the public bucket, by name, which is made of their content. A line is written before
-- the object, so that the sweep finds what no game or element came to name.
CREATE TABLE catalogue_pictures (
    name   text PRIMARY KEY,
    since  timestamptz NOT NULL
);

-- +goose Down
DROP TABLE catalogue_pictures, planned_days;
ALTER TABLE game_elements DROP status;
