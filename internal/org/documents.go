package org

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

const (
	// MaxDocuments bounds the documents of one entity.
	MaxDocuments = 20

	documentLife = 5 * time.Minute  // validity of the signed address of a document
	storeTimeout = 20 * time.Second // bounds one upload to the object store
	logoTimeout  = 2 * time.Second  // bounds the download of a logo, for which a receipt waits
)

// DocumentKinds returns the kinds of documents.
func DocumentKinds() []string {
	return []string{models.DocumentTaxID, models.DocumentIdentityCard, models.DocumentLocalPhoto, models.DocumentLogo, models.DocumentOther}
}

// Document is a file attached to an entity.
type Document struct {
	ID            uuid.UUID
	EntityID      uuid.UUID
	Kind          string
	Name          string // of the uploaded file
	ContentType   string
	Size          int // bytes
	Width, Height int // of a picture, in pixels
	CreatedBy     uuid.UUID
	CreatedAt     time.Time

	URL       string // signed address of the file, valid until ExpiresAt
	ExpiresAt time.Time
}

// NewDocument is a file to attach.
type NewDocument struct {
	EntityID uuid.UUID
	Kind     string
	Name     string // of the file; only shown
	Content  []byte
}

// Attach stores a file as a document of an entity in the caller's scope. It examines the file, uploads it to the object
// store, and then inserts the row of the document. Before the upload it inserts a row of leftovers, by which the sweep
// removes the object if Attach does not complete. Errors: ErrEntityNotFound, ErrInvalidDocument, errors of examine,
// ErrLogo, ErrDocumentExists, ErrDocumentLimit, ErrDocumentStore.
func (s *Service) Attach(ctx context.Context, by caller.Caller, n *NewDocument) (*Document, error) {
	if !slices.Contains(DocumentKinds(), n.Kind) {
		c := &checker{}
		c.wrong("kind", apperr.Messagef("expected %s", strings.Join(DocumentKinds(), ", ")))
		return nil, ErrInvalidDocument.WithDetails(c.details...)
	}
	file, err := s.examine(ctx, n.Content)
	if refusal := apperr.From(err); err != nil && refusal.Kind != apperr.Internal {
		return nil, refusal.At("file")
	}
	if err != nil {
		return nil, err
	}
	if n.Kind == models.DocumentLogo && !file.isLogo() {
		return nil, ErrLogo.At("file")
	}
	row := &models.EntityDocument{
		ID: uuid.Must(uuid.NewV7()), EntityID: n.EntityID, Kind: n.Kind, ContentType: file.kind, Size: len(file.body),
		Width: file.width, Height: file.height,
		Digest: file.digest[:], CreatedBy: by.UserID, CreatedAt: s.options.Clock.Now().Truncate(time.Microsecond),
	}
	row.Name = fileName(n.Name, row.Kind, file.extension)
	row.ObjectKey = "entities/" + n.EntityID.String() + "/" + row.ID.String() + file.extension
	if err := mayAttach(s.db.WithContext(ctx), by, row); err != nil {
		return nil, err
	}
	if err := s.upload(ctx, row, file); err != nil {
		return nil, err
	}
	if err := s.write(ctx, false, func(tx *gorm.DB) error { return insertDocument(ctx, tx, by, row) }); err != nil {
		s.removeObject(ctx, row.ObjectKey)
		return nil, err
	}
	return s.withSignedURL(ctx, row)
}

// Logo returns the file of a logo by PrintInfo.Logo. Errors: ErrDocumentStore.
func (s *Service) Logo(ctx context.Context, key string) ([]byte, error) {
	if s.options.Documents == nil {
		return nil, ErrDocumentStore
	}
	ctx, cancel := context.WithTimeout(ctx, logoTimeout)
	defer cancel()
	body, _, err := s.options.Documents.Get(ctx, key)
	if err != nil {
		return nil, ErrDocumentStore.WithCause(err)
	}
	return body, nil
}

// mayAttach returns nil if an entity may have one more document. Errors: ErrEntityNotFound, ErrDocumentExists,
// ErrDocumentLimit.
func mayAttach(db *gorm.DB, by caller.Caller, row *models.EntityDocument) error {
	if _, err := rowInScope(db, by, row.EntityID); err != nil {
		return err
	}
	var found struct{ Total, Same int }
	err := db.Model(&models.EntityDocument{}).Select("count(*) AS total, count(*) FILTER (WHERE kind = ? AND digest = ?) AS same", row.Kind, row.Digest).
		Where("entity_id = ?", row.EntityID).Scan(&found).Error
	switch {
	case err != nil:
		return fmt.Errorf("count documents: %w", err)
	case found.Same > 0:
		return ErrDocumentExists
	case found.Total >= MaxDocuments:
		return ErrDocumentLimit
	default:
		return nil
	}
}

// upload inserts the row of leftovers of an object and uploads the object. Errors: ErrDocumentStore.
func (s *Service) upload(ctx context.Context, row *models.EntityDocument, file *content) error {
	if s.options.Documents == nil {
		return ErrDocumentStore
	}
	if err := insertLeftovers(s.db.WithContext(ctx), "now()", row.ObjectKey); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if _, err := s.options.Documents.Put(ctx, row.ObjectKey, row.ContentType, file.body); err != nil {
		return ErrDocumentStore.WithCause(err) // the object may have been stored; the sweep removes it
	}
	return nil
}

// insertDocument replaces the leftover of an uploaded object by a document. It returns ErrDocumentStore if the sweep
// has removed the object.
func insertDocument(ctx context.Context, tx *gorm.DB, by caller.Caller, row *models.EntityDocument) error {
	claimed := tx.Delete(&models.DocumentLeftover{ObjectKey: row.ObjectKey})
	if claimed.Error != nil {
		return fmt.Errorf("claim document: %w", claimed.Error)
	}
	if claimed.RowsAffected == 0 {
		return ErrDocumentStore
	}
	if err := mayAttach(tx, by, row); err != nil { // checked again under the lock of the tree
		return err
	}
	if err := tx.Create(row).Error; err != nil {
		return fmt.Errorf("write document: %w", err)
	}
	return recordDocumentTx(ctx, tx, activity.DocumentsCreate, row)
}

// fileName returns the name of a document: the last part of the given path, without unprintable characters, and with
// the extension of its kind.
func fileName(given, kind, extension string) string {
	base := path.Base(strings.ReplaceAll(strings.ToValidUTF8(given, ""), `\`, "/"))
	base = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.TrimSuffix(base, path.Ext(base)))
	base = strings.Trim(base, ". /")
	if base == "" {
		base = kind
	}
	if runes := []rune(base); len(runes) > maxName {
		base = string(runes[:maxName])
	}
	return base + extension
}

// Documents returns the documents of an entity, newest first, with signed addresses. Errors: ErrEntityNotFound,
// ErrDocumentStore.
func (s *Service) Documents(ctx context.Context, by caller.Caller, entityID uuid.UUID) ([]Document, error) {
	if _, err := rowInScope(s.db.WithContext(ctx), by, entityID); err != nil {
		return nil, err
	}
	var rows []models.EntityDocument
	if err := s.db.WithContext(ctx).Where("entity_id = ?", entityID).Order("id DESC").Limit(MaxDocuments).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	list := make([]Document, len(rows))
	for i := range rows {
		d, err := s.withSignedURL(ctx, &rows[i])
		if err != nil {
			return nil, err
		}
		list[i] = *d
	}
	return list, nil
}

// DocumentRef names a document and the entity that it belongs to.
type DocumentRef struct{ EntityID, ID uuid.UUID }

// Document returns one document of an entity. Errors: ErrEntityNotFound, ErrDocumentNotFound, ErrDocumentStore.
func (s *Service) Document(ctx context.Context, by caller.Caller, ref DocumentRef) (*Document, error) {
	row, err := documentInScope(s.db.WithContext(ctx), by, ref)
	if err != nil {
		return nil, err
	}
	return s.withSignedURL(ctx, row)
}

// documentInScope reads a document of an entity in the caller's scope. Errors: ErrEntityNotFound, ErrDocumentNotFound.
func documentInScope(db *gorm.DB, by caller.Caller, ref DocumentRef) (*models.EntityDocument, error) {
	if _, err := rowInScope(db, by, ref.EntityID); err != nil {
		return nil, err
	}
	var row models.EntityDocument
	err := db.Where("id = ? AND entity_id = ?", ref.ID, ref.EntityID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrDocumentNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return &row, nil
}

// withSignedURL returns a document with a signed address. Signing sends no request.
func (s *Service) withSignedURL(ctx context.Context, row *models.EntityDocument) (*Document, error) {
	if s.options.Documents == nil {
		return nil, ErrDocumentStore
	}
	expires := s.options.Clock.Now().Add(documentLife)
	address, err := s.options.Documents.SignedURL(ctx, row.ObjectKey, row.Name, documentLife)
	if err != nil {
		return nil, ErrDocumentStore.WithCause(err)
	}
	return &Document{
		ID: row.ID, EntityID: row.EntityID, Kind: row.Kind, Name: row.Name, ContentType: row.ContentType,
		Size: row.Size, Width: row.Width, Height: row.Height,
		CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(), URL: address, ExpiresAt: expires,
	}, nil
}

// Detach deletes a document. Its object is removed at once, or by the next sweep if the object store is unavailable.
// Errors: ErrEntityNotFound, ErrDocumentNotFound.
func (s *Service) Detach(ctx context.Context, by caller.Caller, ref DocumentRef) error {
	var key string
	err := s.write(ctx, false, func(tx *gorm.DB) error {
		row, err := documentInScope(tx, by, ref)
		if err != nil {
			return err
		}
		key = row.ObjectKey
		if err := releaseDocuments(tx, "id = ?", ref.ID); err != nil {
			return err
		}
		return recordDocumentTx(ctx, tx, activity.DocumentsDelete, row)
	})
	if err != nil {
		return err
	}
	s.removeObject(ctx, key)
	return nil
}
