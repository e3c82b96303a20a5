-- Attachments of entities. The files are in the private bucket, and these rows name them.
-- +goose Up
CREATE TABLE entity_documents (
    id            uuid PRIMARY KEY,
    entity_id     uuid NOT NULL REFERENCES entities (id),
    kind          text NOT NULL CHECK (kind IN ('tax_id', 'identity_card', 'local_photo', 'other')),
    name          text NOT NULL,
    content_type  text NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg', 'application/pdf')),
    size          integer NOT NULL CHECK (size > 0),
    width         integer NOT NULL DEFAULT 0,
    height        integer NOT NULL DEFAULT 0,
    digest        bytea NOT NULL,
    object_key    text NOT NULL UNIQUE,
    created_by    uuid NOT NULL,
    created_at    timestamptz NOT NULL,
    UNIQUE (entity_id, kind, digest)
);

-- Objects that no document names, or not yet: an upload under way, or what is to be removed. An upload is written
-- down here before it begins and its line is taken out in the transaction of its document, so that whatever dies on
-- the way leaves a line by which the object is found.
CREATE TABLE document_leftovers (
    object_key  text PRIMARY KEY,
    since       timestamptz NOT NULL
);
CREATE INDEX document_leftovers_since ON document_leftovers (since);

-- A code is one code in whatever letters it is typed.
CREATE UNIQUE INDEX entities_code_letters ON entities (upper(code));

-- +goose Down
DROP INDEX entities_code_letters;
DROP TABLE document_leftovers, entity_documents;
