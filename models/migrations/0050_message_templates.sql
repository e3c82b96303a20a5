-- Texts of messages by entity, purpose and language, and messages that are about something else than a ticket.
-- +goose Up
CREATE TABLE message_templates (
    entity_id         uuid NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    purpose           text NOT NULL,
    language          text NOT NULL CHECK (language IN ('es', 'en')),
    body              text NOT NULL,
    provider_name     text NOT NULL,    -- of a template that the provider has approved; '' without one
    provider_language text NOT NULL,
    provider_values   text[] NOT NULL,  -- keys of the placeholders of {{1}}, {{2}} ...
    provider_button   text NOT NULL,
    version           uuid NOT NULL,    -- of the last change
    updated_at        timestamptz NOT NULL,
    updated_by        uuid NOT NULL,
    PRIMARY KEY (entity_id, purpose, language)
);

-- A message is about a thing once for each kind and recipient. template is the provider's, filled in, and use_template says that the provider wants it.
ALTER TABLE message_logs
    ADD COLUMN about        uuid,
    ADD COLUMN template     jsonb,
    ADD COLUMN use_template boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX message_logs_about ON message_logs (about, kind, recipient) WHERE about IS NOT NULL;

-- +goose Down
DROP INDEX message_logs_about;
ALTER TABLE message_logs DROP COLUMN about, DROP COLUMN template, DROP COLUMN use_template;
DROP TABLE message_templates;
