-- A draw whose tickets no longer fit its seal goes on once two people have accepted the tickets as they are.
-- +goose Up
CREATE TABLE seal_acceptances (
    id           uuid PRIMARY KEY,
    draw_id      uuid NOT NULL REFERENCES draws (id),
    broken       bytea NOT NULL, -- the seal that the tickets do not fit
    seal         bytea NOT NULL, -- that of the tickets as they are
    tickets      integer NOT NULL,
    reason       text NOT NULL,
    proposed_by  uuid NOT NULL,
    proposed_at  timestamptz NOT NULL,
    accepted_by  uuid,
    accepted_at  timestamptz,
    CHECK ((accepted_by IS NULL) = (accepted_at IS NULL)),
    CHECK (accepted_by <> proposed_by)
);
CREATE UNIQUE INDEX seal_acceptances_open ON seal_acceptances (draw_id) WHERE accepted_at IS NULL;

-- +goose Down
DROP TABLE seal_acceptances;
