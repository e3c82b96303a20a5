package ledger

import (
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/exchange"
	"banca/internal/platform/idempotency"
	"banca/storage"
)

// Caches: a wallet's id never changes; a currency rarely does.
const (
	walletCache    = 200_000
	currencyExpiry = 30 * time.Second
)

// walletKey names the main wallet of an entity in a currency.
type walletKey struct{ entity, currency uuid.UUID }

// Service keeps the books.
type Service struct {
	pg         *storage.Postgres
	options    Options
	wallets    cache.Cache[walletKey, uuid.UUID]
	currencies cache.Cache[string, Currency]
	keys       idempotency.Locks
}

// Options configure the service.
type Options struct {
	Zone  *time.Location   // of business days
	Clock clock.Clock      // of movements; nil for the database's clock
	Rates *exchange.Client // the source of exchange rates; nil for none
	// MaxRateChange is by how many percent a fetched rate may differ from the last one.
	MaxRateChange int
}

// New returns the service.
func New(pg *storage.Postgres, options Options) *Service {
	return &Service{
		pg:      pg,
		options: options,
		wallets: cache.New(&otter.Options[walletKey, uuid.UUID]{MaximumSize: walletCache}),
		currencies: cache.New(&otter.Options[string, Currency]{
			MaximumSize:      1_000,
			ExpiryCalculator: otter.ExpiryWriting[string, Currency](currencyExpiry),
		}),
	}
}
