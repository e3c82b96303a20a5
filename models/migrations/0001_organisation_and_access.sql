-- Currencies, the entity tree, users and their sessions.
-- +goose Up
CREATE TABLE currencies (
    id          uuid PRIMARY KEY,
    code        text NOT NULL UNIQUE CHECK (code ~ '^[A-Z]{3}$'),
    name        text NOT NULL,
    symbol      text NOT NULL DEFAULT '',
    digits      smallint NOT NULL CHECK (digits BETWEEN 0 AND 4),
    status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- path is '/<id>/<id>/', from the root down to and including the entity itself, so that a subtree
-- is one prefix. no is the short number of the entity in risk counters.
CREATE TABLE entities (
    id                 uuid PRIMARY KEY,
    no                 integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    entity_type        text NOT NULL CHECK (entity_type IN ('OPERATOR', 'SUPER_AGENCY', 'AGENCY', 'GROUP', 'TICKET_POINT')),
    name               text NOT NULL,
    code               text NOT NULL UNIQUE,
    parent_id          uuid REFERENCES entities (id),
    path               text NOT NULL,
    status             text NOT NULL DEFAULT 'register' CHECK (status IN ('register', 'active', 'suspended', 'inactive')),
    finance_info       jsonb NOT NULL DEFAULT '{}',
    config_info        jsonb NOT NULL DEFAULT '{}',
    legal_info         jsonb NOT NULL DEFAULT '{}',
    contact_info       jsonb NOT NULL DEFAULT '{}',
    location_info      jsonb NOT NULL DEFAULT '{}',
    print_info         jsonb NOT NULL DEFAULT '{}',
    social_info        jsonb NOT NULL DEFAULT '{}',
    messaging_settings jsonb NOT NULL DEFAULT '{}',
    default_device_id  uuid,
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    CHECK (path LIKE '%/' || id || '/')
);
CREATE INDEX entities_path ON entities (path text_pattern_ops);
CREATE INDEX entities_parent ON entities (parent_id);

CREATE TABLE users (
    id                uuid PRIMARY KEY,
    entity_id         uuid NOT NULL REFERENCES entities (id),
    email             text UNIQUE CHECK (email = lower(email)),
    phone             text UNIQUE,
    identifier        text UNIQUE CHECK (identifier = lower(identifier)),
    name              text NOT NULL,
    role              text NOT NULL CHECK (role IN ('ADMIN', 'TAQUILLA', 'SOCIO')),
    auth_method       text NOT NULL DEFAULT 'whatsapp' CHECK (auth_method IN ('whatsapp', 'password')),
    password_hash     text NOT NULL,
    status            text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    last_activity_at  timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    CHECK (email IS NOT NULL OR phone IS NOT NULL OR identifier IS NOT NULL)
);

-- token_hash is the SHA-256 of the refresh token that is valid now; the row is the token family.
CREATE TABLE user_sessions (
    id            uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES users (id),
    token_hash    text NOT NULL,
    device_info   jsonb NOT NULL DEFAULT '{}',
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    end_reason    text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    refreshed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX user_sessions_user ON user_sessions (user_id, created_at DESC);

-- +goose Down
DROP TABLE user_sessions, users, entities, currencies;
