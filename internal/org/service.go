package org

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"

	"banca/internal/platform/cache"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/pixels"
	"banca/models"
)

// A cached chain is reloaded in the background after chainRefresh and is not used after chainExpiry, so a suspension
// takes effect in every process within seconds.
const (
	chainRefresh = 3 * time.Second
	chainExpiry  = 5 * time.Second
	chainCache   = 50_000
)

// Bucket is a bucket of the object store. Objects of the private bucket are read by signed addresses only.
type Bucket interface {
	Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error)
	Get(ctx context.Context, key string) (body []byte, contentType string, err error)
	Delete(ctx context.Context, key string) error
	SignedURL(ctx context.Context, key, name string, expires time.Duration) (string, error)
}

// Classes are the categories and bet types that a rate may have.
type Classes struct{ Categories, BetTypes []string }

// Options are optional dependencies of the domain.
type Options struct {
	// Documents is the private bucket. If it is nil, no document can be attached.
	Documents Bucket
	// Classes returns the existing categories and bet types. It comes from the catalogue, which org cannot import,
	// because both are of the same tier. If it is nil, rates may have any category and bet type.
	Classes func(ctx context.Context) (Classes, error)
	// Memory bounds the memory of decoded pictures of all uploads of the process. If it is nil, the service makes its
	// own.
	Memory *pixels.Memory
	// Clock is the system clock if it is nil.
	Clock clock.Clock
}

// Service reads and changes the entity tree.
type Service struct {
	db      *gorm.DB
	chains  cache.Cache[uuid.UUID, Chain]
	options Options
	root    atomic.Pointer[uuid.UUID] // nil until Root has found it
}

// New returns the service.
func New(db *gorm.DB, options Options) *Service {
	if options.Memory == nil {
		options.Memory = pixels.Default()
	}
	if options.Clock == nil {
		options.Clock = clock.System{}
	}
	return &Service{
		db: db, options: options,
		chains: cache.New(&otter.Options[uuid.UUID, Chain]{
			MaximumSize:       chainCache,
			ExpiryCalculator:  otter.ExpiryWriting[uuid.UUID, Chain](chainExpiry),
			RefreshCalculator: otter.RefreshWriting[uuid.UUID, Chain](chainRefresh),
		}),
	}
}

// Chain returns an entity with its ancestors, root first, as they were within the last chainExpiry. Errors:
// ErrEntityNotFound.
func (s *Service) Chain(ctx context.Context, entityID uuid.UUID) (Chain, error) {
	chain, err := s.chains.Get(ctx, entityID, otter.LoaderFunc[uuid.UUID, Chain](s.loadChain))
	if errors.Is(err, otter.ErrNotFound) {
		return nil, ErrEntityNotFound
	}
	return chain, err
}

// Seller returns the chain of an entity that can sell. Errors: ErrEntityNotFound, ErrCannotSell.
func (s *Service) Seller(ctx context.Context, entityID uuid.UUID) (Chain, error) {
	chain, err := s.Chain(ctx, entityID)
	if err != nil {
		return nil, err
	}
	if !chain.Active() {
		return nil, ErrCannotSell
	}
	return chain, nil
}

// Scope returns the scope of the users of an entity. Errors: ErrEntityNotFound.
func (s *Service) Scope(ctx context.Context, entityID uuid.UUID) (caller.Scope, error) {
	chain, err := s.Chain(ctx, entityID)
	if err != nil {
		return caller.Scope{}, err
	}
	return caller.ParseScope(chain.Path())
}

// InScope reports whether the entity is in the caller's scope.
func (s *Service) InScope(ctx context.Context, by caller.Caller, entityID uuid.UUID) (bool, error) {
	chain, err := s.Chain(ctx, entityID)
	if errors.Is(err, ErrEntityNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return by.Scope.Contains(chain.Path()), nil
}

// ByCode finds an entity in the caller's scope by its code. Errors: ErrEntityNotFound.
func (s *Service) ByCode(ctx context.Context, by caller.Caller, code string) (uuid.UUID, error) {
	var row models.Entity
	err := s.db.WithContext(ctx).Select("id").Where("code = ? AND path LIKE ?", code, by.Scope.Pattern()).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return uuid.Nil, ErrEntityNotFound
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("find entity: %w", err)
	}
	return row.ID, nil
}

// Forget invalidates the cached chains of this process.
func (s *Service) Forget() { s.chains.InvalidateAll() }
