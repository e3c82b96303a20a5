-- Devices of entities, the sessions they have, and what happened to them.
-- +goose Up

-- fingerprint_hash is an HMAC, key_hash the SHA-256 of the device key, which is shown once.
CREATE TABLE devices (
    id                uuid PRIMARY KEY,
    entity_id         uuid NOT NULL REFERENCES entities (id),
    name              text NOT NULL CHECK (name <> ''),
    fingerprint_hash  bytea NOT NULL CHECK (length(fingerprint_hash) = 32),
    key_hash          bytea NOT NULL CHECK (length(key_hash) = 32),
    status            text NOT NULL CHECK (status IN ('active', 'blocked', 'suspended', 'inactive')),
    info              jsonb NOT NULL DEFAULT '{}',
    created_by        uuid NOT NULL REFERENCES users (id),
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    status_at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT devices_fingerprint UNIQUE (entity_id, fingerprint_hash)
);
CREATE INDEX devices_entity ON devices (entity_id, created_at DESC);

-- A device has one session that is not over. connection_no counts the connections of a session: only the last
-- one is live. It is online while online_until has not passed, so that a process that dies takes nobody's
-- place for long. held_by_device marks a suspension that came with the device's, and goes with it.
CREATE TABLE device_sessions (
    id               uuid PRIMARY KEY,
    device_id        uuid NOT NULL REFERENCES devices (id),
    user_id          uuid NOT NULL REFERENCES users (id),
    user_session_id  uuid NOT NULL REFERENCES user_sessions (id),
    status           text NOT NULL CHECK (status IN ('active', 'suspended', 'inactive')),
    held_by_device   boolean NOT NULL DEFAULT false,
    connection_id    uuid,
    connection_no    bigint NOT NULL DEFAULT 0,
    connected_at     timestamptz,
    last_seen_at     timestamptz NOT NULL DEFAULT now(),
    online_until     timestamptz NOT NULL DEFAULT now(),
    created_at       timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz,
    end_reason       text,
    CHECK ((status = 'inactive') = (ended_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CHECK (status = 'suspended' OR NOT held_by_device)
);
CREATE UNIQUE INDEX device_sessions_live ON device_sessions (device_id) WHERE status <> 'inactive';
CREATE INDEX device_sessions_device ON device_sessions (device_id, created_at DESC);
CREATE INDEX device_sessions_user_session ON device_sessions (user_session_id) WHERE status <> 'inactive';

-- What happened to a device, for those who look after it.
CREATE TABLE device_events (
    id          uuid PRIMARY KEY,
    device_id   uuid NOT NULL REFERENCES devices (id),
    kind        text NOT NULL,
    session_id  uuid,
    user_id     uuid,
    note        text NOT NULL DEFAULT '',
    at          timestamptz NOT NULL
);
CREATE INDEX device_events_device ON device_events (device_id, id DESC);

-- +goose Down
DROP TABLE device_events, device_sessions, devices;
