package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"

	"banca/internal/platform/apperr"
	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/pixels"
	"banca/storage"
)

// How long games and draws are served from memory: reloaded in the background after the refresh
// time, never used after the expiry.
const (
	gameRefresh = 5 * time.Second
	gameExpiry  = 30 * time.Second
	drawRefresh = time.Second
	drawExpiry  = 5 * time.Second
	gameCache   = 1_000
	drawCache   = 100_000
)

// Pictures is the public bucket, in which logos and pictures of elements are kept.
type Pictures interface {
	Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error)
	Get(ctx context.Context, key string) (body []byte, contentType string, err error)
	Delete(ctx context.Context, key string) error
	PublicURL(key string) string
}

// Options are the settings and optional dependencies of the domain.
type Options struct {
	Zone      *time.Location // of business days
	DaysAhead int            // days after today that have their draws generated
	SaleStop  time.Duration  // before a draw, where its game sets nothing itself

	Pictures Pictures       // without it no picture can be given
	Memory   *pixels.Memory // of decoded pictures, shared by all uploads of the process; the service's own by default
	Wake     func()         // wakes the relay after a commit
	// CheckAPI names the errors of an api_config that fits its schema; it is a function of the lottery client, a
	// domain above this one.
	CheckAPI func(json.RawMessage) []apperr.Detail
}

// Service answers what can be sold, and changes it.
type Service struct {
	pg      *storage.Postgres
	db      *gorm.DB
	clock   clock.Clock
	options Options
	schemas func() (schemas, error)
	games   cache.Cache[uuid.UUID, *Game]
	draws   cache.Cache[uuid.UUID, *Draw]
}

// New returns the service.
func New(pg *storage.Postgres, clk clock.Clock, options Options) *Service {
	if options.Wake == nil {
		options.Wake = func() {}
	}
	if options.Memory == nil {
		options.Memory = pixels.Default()
	}
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	return &Service{
		pg: pg, db: pg.Gorm, clock: clk, options: options, schemas: sync.OnceValues(compileSchemas),
		games: cache.New(&otter.Options[uuid.UUID, *Game]{
			MaximumSize:       gameCache,
			ExpiryCalculator:  otter.ExpiryWriting[uuid.UUID, *Game](gameExpiry),
			RefreshCalculator: otter.RefreshWriting[uuid.UUID, *Game](gameRefresh),
		}),
		draws: cache.New(&otter.Options[uuid.UUID, *Draw]{
			MaximumSize:       drawCache,
			ExpiryCalculator:  otter.ExpiryWriting[uuid.UUID, *Draw](drawExpiry),
			RefreshCalculator: otter.RefreshWriting[uuid.UUID, *Draw](drawRefresh),
		}),
	}
}

// Game returns a game with its elements and rules. Errors: ErrGameNotFound.
func (s *Service) Game(ctx context.Context, id uuid.UUID) (*Game, error) {
	g, err := s.games.Get(ctx, id, otter.LoaderFunc[uuid.UUID, *Game](s.loadGame))
	if errors.Is(err, otter.ErrNotFound) {
		return nil, ErrGameNotFound
	}
	return g, err
}

// Draw returns a draw as it was within the last seconds. Errors: ErrDrawNotFound.
func (s *Service) Draw(ctx context.Context, id uuid.UUID) (*Draw, error) {
	d, err := s.draws.Get(ctx, id, otter.LoaderFunc[uuid.UUID, *Draw](s.loadDraw))
	if errors.Is(err, otter.ErrNotFound) {
		return nil, ErrDrawNotFound
	}
	return d, err
}

// DrawsByID returns several draws, each as Draw returns it; those that are not cached are read by one statement. Errors:
// ErrDrawNotFound if one does not exist.
func (s *Service) DrawsByID(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*Draw, error) {
	draws, err := s.draws.BulkGet(ctx, ids, otter.BulkLoaderFunc[uuid.UUID, *Draw](s.loadDraws))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if draws[id] == nil {
			return nil, ErrDrawNotFound
		}
	}
	return draws, nil
}

// ForgetDraws drops cached draws that a caller has found to be out of date.
func (s *Service) ForgetDraws(ids ...uuid.UUID) {
	for _, id := range ids {
		s.draws.Invalidate(id)
	}
}

// Forget drops the cache, after a change in this process.
func (s *Service) Forget() {
	s.games.InvalidateAll()
	s.draws.InvalidateAll()
}
