-- Game categories, games, their elements and draws.
-- +goose Up
CREATE TABLE game_categories (
    id           uuid PRIMARY KEY,
    name         text NOT NULL,
    code         text NOT NULL UNIQUE,
    description  text NOT NULL DEFAULT '',
    config       jsonb NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);

-- sale_stop_seconds is how long before the draw its sales stop; null inherits the entity setting.
CREATE TABLE games (
    id                 uuid PRIMARY KEY,
    category_id        uuid NOT NULL REFERENCES game_categories (id),
    name               text NOT NULL,
    short_code         text NOT NULL UNIQUE,
    position           integer NOT NULL DEFAULT 0,
    status             text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'inactive')),
    logo_url           text,
    sale_stop_seconds  integer CHECK (sale_stop_seconds BETWEEN 0 AND 86400),
    mechanics          jsonb NOT NULL DEFAULT '{}',
    schedule_config    jsonb NOT NULL DEFAULT '{}',
    betting_rules      jsonb NOT NULL DEFAULT '{}',
    metadata           jsonb NOT NULL DEFAULT '{}',
    api_config         jsonb NOT NULL DEFAULT '{}',
    rule_version       integer NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE game_elements (
    id             uuid PRIMARY KEY,
    game_id        uuid NOT NULL REFERENCES games (id),
    code           text NOT NULL CHECK (code ~ '^[0-9]{1,4}$'),
    name           text NOT NULL,
    display_value  text NOT NULL,
    image_url      text,
    position       integer NOT NULL,
    UNIQUE (game_id, code)
);

-- local_date is the business day of draw_time. risk_epoch grows with each rebuild of the draw's
-- counters in Redis; a reservation made under an older one must not commit.
CREATE TABLE draws (
    id            uuid PRIMARY KEY,
    game_id       uuid NOT NULL REFERENCES games (id),
    draw_number   text NOT NULL,
    local_date    date NOT NULL,
    draw_time     timestamptz NOT NULL,
    sale_stop_at  timestamptz NOT NULL,
    status        text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'open', 'closed', 'resulted', 'settled', 'suspended')),
    risk_epoch    bigint NOT NULL DEFAULT 0,
    closed_at     timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (game_id, local_date, draw_number),
    CHECK (sale_stop_at <= draw_time)
);
CREATE INDEX draws_by_stop ON draws (status, sale_stop_at);
CREATE INDEX draws_by_time ON draws (draw_time);

-- +goose Down
DROP TABLE draws, game_elements, games, game_categories;
