-- Tickets and their lines, customers, risk limits, idempotency keys and the outbox.
-- The tables a sale writes carry no foreign keys: each would cost a lookup per row in the hottest
-- transaction, whose rows are all checked before; `banca verify` proves the references (ADR 0004).
-- +goose Up
CREATE TABLE customers (
    id           uuid PRIMARY KEY,
    entity_id    uuid NOT NULL REFERENCES entities (id),
    name         text NOT NULL,
    phone        text NOT NULL,
    id_document  text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (entity_id, phone)
);

CREATE TABLE tickets (
    id                  uuid PRIMARY KEY,
    serial_code         text NOT NULL UNIQUE,
    validation_code     text NOT NULL,
    entity_id           uuid NOT NULL,
    user_id             uuid NOT NULL,
    wallet_id           uuid NOT NULL,
    currency_id         uuid NOT NULL,
    customer_id         uuid,
    status              text NOT NULL CHECK (status IN ('pending', 'won', 'lost', 'cancelled', 'paid')),
    total               bigint NOT NULL CHECK (total > 0),
    potential_prize     bigint NOT NULL,
    wants_payment_info  boolean NOT NULL DEFAULT false,
    image_url           text,
    cancel_before       timestamptz NOT NULL,
    expires_at          timestamptz NOT NULL,
    cancelled_at        timestamptz,
    cancelled_by        uuid,
    created_at          timestamptz NOT NULL
);
CREATE INDEX tickets_entity ON tickets (entity_id, id DESC);
CREATE INDEX tickets_cancelled ON tickets (entity_id, cancelled_at) WHERE cancelled_at IS NOT NULL;

-- selection is canonical: codes joined by commas, sorted where the bet type ignores order.
-- payout is in hundredths (6000 = 60 times the stake); commission_rates are basis points of the
-- amount from the root's child down to the seller, all as they stood when the line was sold.
CREATE TABLE ticket_items (
    ticket_id         uuid NOT NULL,
    line_no           smallint NOT NULL,
    draw_id           uuid NOT NULL,
    game_id           uuid NOT NULL,
    bet_type          text NOT NULL,
    selection         text NOT NULL,
    amount            bigint NOT NULL CHECK (amount > 0),
    payout            bigint NOT NULL,
    potential_prize   bigint NOT NULL,
    rule_version      integer NOT NULL,
    commission_rates  integer[] NOT NULL,
    PRIMARY KEY (ticket_id, line_no)
);
CREATE INDEX ticket_items_draw ON ticket_items (draw_id);

-- base and the sliding part: limit = base + pct_bps/10000 of the draw's sales at that entity.
-- Null selectors mean any; 0 blocks.
CREATE TABLE risk_limits (
    id           uuid PRIMARY KEY,
    entity_id    uuid NOT NULL REFERENCES entities (id),
    currency_id  uuid NOT NULL REFERENCES currencies (id),
    category_id  uuid REFERENCES game_categories (id),
    game_id      uuid REFERENCES games (id),
    draw_id      uuid REFERENCES draws (id),
    element      text,
    bet_type     text,
    metric       text NOT NULL CHECK (metric IN ('stake', 'liability')),
    base         bigint NOT NULL CHECK (base >= 0),
    pct_bps      integer NOT NULL DEFAULT 0 CHECK (pct_bps BETWEEN 0 AND 1000000),
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX risk_limits_scope ON risk_limits (entity_id, currency_id, metric,
    coalesce(category_id::text, ''), coalesce(game_id::text, ''), coalesce(draw_id::text, ''), coalesce(element, ''), coalesce(bet_type, ''));

-- id is a UUID derived from caller and key, so that the unique index is on one column.
CREATE TABLE idempotency_keys (
    id            uuid PRIMARY KEY,
    request_hash  bytea NOT NULL,
    ticket_id     uuid,
    status        integer NOT NULL,
    response      bytea,
    created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);

-- A committed task on its way to the queue; id becomes the task's id there. Rows are deleted once enqueued.
-- A row that cannot be enqueued is tried again at retry_at; one that no release understood in all its
-- attempts is moved to outbox_dead, from where it can be inserted back by hand. The table is almost empty
-- but every task passes through it, so its dead rows are cleaned by number, not by share.
CREATE TABLE outbox (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    payload     jsonb NOT NULL,
    process_at  timestamptz,
    attempts    smallint NOT NULL DEFAULT 0,
    retry_at    timestamptz,
    last_error  text,
    created_at  timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);

CREATE TABLE outbox_dead (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    payload     jsonb NOT NULL,
    process_at  timestamptz,
    attempts    smallint NOT NULL,
    last_error  text NOT NULL,
    created_at  timestamptz NOT NULL,
    moved_at    timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE outbox_dead, outbox, idempotency_keys, risk_limits, ticket_items, tickets, customers;
