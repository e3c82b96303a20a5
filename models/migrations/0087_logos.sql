-- +goose Up
-- The picture above the receipts of an entity and the entities below it is a document of it: the newest one of the kind logo.
ALTER TABLE entity_documents
    DROP CONSTRAINT entity_documents_kind_check,
    ADD CONSTRAINT entity_documents_kind_check CHECK (kind IN ('tax_id', 'identity_card', 'local_photo', 'logo', 'other'));

-- +goose Down
UPDATE entity_documents SET kind = 'other' WHERE kind = 'logo';
ALTER TABLE entity_documents
    DROP CONSTRAINT entity_documents_kind_check,
    ADD CONSTRAINT entity_documents_kind_check CHECK (kind IN ('tax_id', 'identity_card', 'local_photo', 'other'));
