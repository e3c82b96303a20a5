-- The bank: expected payments, what the bank notified, every call it made, and what was refused.
-- +goose Up

ALTER TABLE wallets DROP CONSTRAINT wallets_kind_check;
ALTER TABLE wallets ADD CONSTRAINT wallets_kind_check CHECK (kind IN ('main', 'external', 'suspense'));

CREATE TABLE banks (
    code        text PRIMARY KEY CHECK (code ~ '^[0-9]{4}$'),
    name        text NOT NULL CHECK (name <> ''),
    status      text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'retired')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- Only 00 means that the payment was approved, and no row can say otherwise.
CREATE TABLE network_codes (
    code        text PRIMARY KEY CHECK (code ~ '^[0-9A-Za-z]{1,8}$'),
    meaning     text NOT NULL CHECK (meaning <> ''),
    approved    boolean GENERATED ALWAYS AS (code = '00') STORED,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- The number of an identity document as it is compared: its digits without leading zeros.
-- +goose StatementBegin
CREATE FUNCTION client_number(document text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ltrim(regexp_replace(document, '[^0-9]', '', 'g'), '0');
-- +goose StatementEnd
CREATE INDEX customers_client_number ON customers (client_number(id_document)) WHERE id_document IS NOT NULL;
CREATE INDEX entities_client_number ON entities (client_number(legal_info ->> 'tax_id')) WHERE legal_info ->> 'tax_id' IS NOT NULL;

-- Who is to pay what into which wallet. client_letter is '' when it is not known. held_until is set by the
-- bank's query; a request is live while it is open and not past both expires_at and held_until.
CREATE TABLE payment_requests (
    id               uuid PRIMARY KEY,
    origin           text NOT NULL CHECK (origin IN ('ticket', 'top_up', 'manual', 'query')),
    entity_id        uuid NOT NULL REFERENCES entities (id),
    wallet_id        uuid NOT NULL,
    currency_id      uuid NOT NULL REFERENCES currencies (id),
    ticket_id        uuid,
    client_letter    text NOT NULL DEFAULT '' CHECK (client_letter IN ('', 'V', 'E', 'J', 'G', 'P')),
    client_number    text NOT NULL CHECK (client_number ~ '^[1-9][0-9]{0,9}$'),
    client_phone     text CHECK (client_phone ~ '^[+][1-9][0-9]{7,14}$'),
    amount           bigint NOT NULL CHECK (amount > 0),
    reference        text CHECK (reference ~ '^[0-9]{4,36}$'),
    bank_code        text REFERENCES banks (code),
    status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'cancelled', 'expired')),
    held_until       timestamptz,
    query_event_id   uuid,
    payment_id       uuid,
    expires_at       timestamptz NOT NULL,
    closed_at        timestamptz,
    created_by       uuid,
    idempotency_key  uuid,
    request_hash     bytea,
    note             text NOT NULL DEFAULT '',
    created_at       timestamptz NOT NULL,
    CHECK (reference IS NULL OR bank_code IS NOT NULL),
    CHECK ((status = 'paid') = (payment_id IS NOT NULL))
);
CREATE UNIQUE INDEX payment_requests_key ON payment_requests (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX payment_requests_entity ON payment_requests (entity_id, id DESC);
CREATE UNIQUE INDEX payment_requests_ticket ON payment_requests (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE UNIQUE INDEX payment_requests_payment ON payment_requests (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX payment_requests_client ON payment_requests (client_number, amount) WHERE status = 'open';
CREATE INDEX payment_requests_phone ON payment_requests (client_phone, amount) WHERE status = 'open' AND client_phone IS NOT NULL;
CREATE INDEX payment_requests_reference ON payment_requests (reference, bank_code) WHERE status = 'open' AND reference IS NOT NULL;
CREATE INDEX payment_requests_held ON payment_requests (amount) WHERE status = 'open' AND held_until IS NOT NULL;
CREATE INDEX payment_requests_expiry ON payment_requests (expires_at) WHERE status = 'open';

-- A payment that the bank notified with code 00. id is derived from BancoEmisor, Referencia and the local
-- date, so that the primary key is the key of the contract on one column; a conflict's id from the amount,
-- too. The answer given first is kept, for every repeat. transaction_id is the deposit, once there is one.
CREATE TABLE bank_payments (
    id               uuid PRIMARY KEY,
    bank_code        text NOT NULL,
    reference        text NOT NULL,
    local_date       date NOT NULL,
    amount           bigint NOT NULL CHECK (amount > 0),
    currency_id      uuid NOT NULL,
    sender_phone     text,
    merchant_phone   text,
    concept          text,
    paid_at          timestamptz,
    state            text NOT NULL CHECK (state IN ('credited', 'unmatched', 'conflict', 'suspense', 'assigned', 'refunded')),
    reason           text NOT NULL DEFAULT '',
    answer           boolean NOT NULL,
    conflict_of      uuid,
    request_id       uuid,
    entity_id        uuid,
    wallet_id        uuid,
    transaction_id   uuid,
    event_id         uuid NOT NULL,
    resolved_by      uuid,
    resolved_at      timestamptz,
    note             text NOT NULL DEFAULT '',
    resolution_key   uuid,
    resolution_hash  bytea,
    received_at      timestamptz NOT NULL,
    CHECK ((state IN ('credited', 'suspense', 'assigned')) <= (transaction_id IS NOT NULL)),
    CHECK (answer = (state IN ('credited', 'suspense')) OR state IN ('assigned', 'refunded')),
    CHECK ((state = 'conflict') <= (conflict_of IS NOT NULL))
);
CREATE UNIQUE INDEX bank_payments_resolution ON bank_payments (resolution_key) WHERE resolution_key IS NOT NULL;
CREATE INDEX bank_payments_reference ON bank_payments (reference);
CREATE INDEX bank_payments_unresolved ON bank_payments (received_at) WHERE state IN ('unmatched', 'suspense', 'conflict');
CREATE INDEX bank_payments_day ON bank_payments USING brin (local_date);

-- Every call, or, of refused ones in a flood, a sample. raw is the body as it came, until it is erased;
-- fields what was read from it. repeats counts equal calls that got the same answer without an effect.
CREATE TABLE bank_events (
    id              uuid PRIMARY KEY,
    phase           text NOT NULL CHECK (phase IN ('query', 'notification')),
    address         text NOT NULL,
    outcome         text NOT NULL,
    status          smallint NOT NULL,
    answer          boolean NOT NULL,
    checks          jsonb NOT NULL,
    raw             bytea,
    fields          jsonb,
    reference       text,
    bank_code       text,
    phone           text,
    amount          bigint,
    payment_id      uuid,
    request_id      uuid,
    token_slot      text NOT NULL DEFAULT '',
    http_id         text NOT NULL DEFAULT '',
    duration_us     bigint NOT NULL,
    repeats         integer NOT NULL DEFAULT 0,
    last_repeat_at  timestamptz,
    received_at     timestamptz NOT NULL
);
CREATE INDEX bank_events_received ON bank_events USING brin (received_at); -- ids are in the order of time, too
CREATE INDEX bank_events_reference ON bank_events (reference) WHERE reference IS NOT NULL;
CREATE INDEX bank_events_phone ON bank_events (phone) WHERE phone IS NOT NULL;

-- What an operator should look at, counted by hour, so that an attack makes few rows.
CREATE TABLE security_alerts (
    id               uuid PRIMARY KEY,
    kind             text NOT NULL CHECK (kind IN ('address_blocked', 'token_wrong', 'tls_missing', 'amount_conflict', 'rejected_after_credit')),
    address          text NOT NULL,
    subject_id       uuid,
    hour             timestamptz NOT NULL,
    count            bigint NOT NULL,
    first_seen_at    timestamptz NOT NULL,
    last_seen_at     timestamptz NOT NULL,
    acknowledged_by  uuid,
    acknowledged_at  timestamptz
);
CREATE UNIQUE INDEX security_alerts_once ON security_alerts (kind, address, hour, coalesce(subject_id, '00000000-0000-0000-0000-000000000000'));
CREATE INDEX security_alerts_seen ON security_alerts (last_seen_at DESC);

-- When each token was last used, by its hash, so that a token keeps its history when it changes slots.
CREATE TABLE bank_tokens (
    token_hash     bytea PRIMARY KEY,
    first_used_at  timestamptz NOT NULL,
    last_used_at   timestamptz NOT NULL
);

-- A bank statement as it was imported; differences are found when they are asked for.
CREATE TABLE bank_statements (
    id           uuid PRIMARY KEY,
    digest       bytea NOT NULL UNIQUE,
    from_date    date NOT NULL,
    to_date      date NOT NULL,
    lines        integer NOT NULL,
    skipped      integer NOT NULL,
    imported_by  uuid NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE TABLE bank_statement_lines (
    statement_id  uuid NOT NULL REFERENCES bank_statements (id),
    line_no       integer NOT NULL,
    local_date    date NOT NULL,
    bank_code     text,
    reference     text NOT NULL,
    amount        bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (statement_id, line_no)
);

-- +goose Down
DROP TABLE bank_statement_lines, bank_statements, bank_tokens, security_alerts, bank_events, bank_payments, payment_requests, network_codes, banks;
DROP INDEX entities_client_number, customers_client_number;
DROP FUNCTION client_number(text);
ALTER TABLE wallets DROP CONSTRAINT wallets_kind_check;
ALTER TABLE wallets ADD CONSTRAINT wallets_kind_check CHECK (kind IN ('main', 'external'));
