package connections

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/messaging/channel"
	"banca/internal/org"
	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/secrets"
	"banca/storage"
)

// Bounds of connections.
const (
	maxName          = 100
	MaxPerMinute     = 6000
	defaultPerMinute = 60
	callTimeout      = 20 * time.Second // of one call of a provider
)

// Deps are the dependencies of a Service. All are required but Guesses.
type Deps struct {
	PG         *storage.Postgres
	Org        *org.Service
	Drivers    map[string]channel.Driver // by name
	Keys       *secrets.Keyring
	Configured channel.Channel    // of entities without a connection
	PerMinute  int                // messages of the configured channel
	WebhookURL string             // of a connection, without its id
	Guesses    *ratelimit.Guesses // bounds refused webhooks; nil for no bound
	Clock      clock.Clock
	Log        *slog.Logger
}

// Service keeps connections.
type Service struct {
	Deps

	// Changed is called after a connection's state was stored, outside of any transaction; nil for nothing.
	Changed func(ctx context.Context, c channel.Change) error

	known cache.Cache[struct{}, map[uuid.UUID]bool] // ids of all connections
}

// New returns the service.
func New(d Deps) *Service {
	return &Service{Deps: d, known: cache.New(&otter.Options[struct{}, map[uuid.UUID]bool]{
		ExpiryCalculator: otter.ExpiryWriting[struct{}, map[uuid.UUID]bool](knownExpiry),
	})}
}

// DriverParameters returns the parameters of the drivers that a connection can have, by the drivers' names.
func (s *Service) DriverParameters() map[string][]channel.Parameter {
	result := make(map[string][]channel.Parameter, len(s.Drivers))
	for name, d := range s.Drivers {
		result[name] = d.Parameters()
	}
	return result
}

// Reports reports whether the provider of a driver calls the webhook of a connection.
func (s *Service) Reports(driver string) bool {
	_, ok := s.Drivers[driver].(channel.WebhookReceiver)
	return ok
}

// Linked reports whether the accounts of a driver are linked to a telephone.
func (s *Service) Linked(driver string) bool {
	_, ok := s.Drivers[driver].(channel.Linker)
	return ok
}
