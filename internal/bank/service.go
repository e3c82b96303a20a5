package bank

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/groupcommit"
	"banca/storage"
)

// The policies for a valid payment that fits no request.
const (
	UnmatchedReject = "reject" // answered false and listed
	UnmatchedAccept = "accept" // answered true, booked to the suspense wallet and listed
)

// Options are the settings of the domain.
type Options struct {
	Token, NextToken string         // without a scheme; NextToken is "" except during a rotation
	AllowedIPs       []netip.Prefix // of the bank
	TrustedProxies   []netip.Prefix
	RequireTLS       bool
	OwnTLS           bool // this process has a TLS listener; shown by Identity
	Zone             *time.Location
	Currency         string // code of the currency that the bank pays in
	Hold             time.Duration
	RequestExpiry    time.Duration
	OpenDeposits     bool
	Unmatched        string
	CallLimit        int // valid calls of the bank in a window, to bound the load
	CallWindow       time.Duration
	RefusedLimit     int // refused calls of one address in a window
	RefusedWindow    time.Duration
	EventRetention   time.Duration
	PayloadRetention time.Duration
}

// Messages queues messages in the caller's transaction.
type Messages interface {
	QueueTx(ctx context.Context, tx pgx.Tx, list ...*messaging.Outgoing) (created int, err error)
}

// Deps are the dependencies of the Service.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Ledger   *ledger.Service
	Messages Messages
	Clock    clock.Clock
	Log      *slog.Logger
	Wake     func() // wakes the outbox relay after a commit
	Options  Options
}

// Service answers the calls of the bank and records them.
type Service struct {
	Deps
	gate      *gatekeeper
	tokens    *tokens
	calls     *meter // valid calls of the bank
	refused   *meter // refused calls by address
	recorder  *recorder
	flushing  sync.Mutex
	group     groupcommit.Committer[*pending]
	directory cache.Cache[struct{}, *directory]
}

// New returns the service. Notifications under load are committed, and events of refused calls are written, only while
// Run is running.
func New(deps Deps) *Service {
	o := &deps.Options
	s := &Service{
		Deps:      deps,
		gate:      &gatekeeper{allowed: o.AllowedIPs, proxies: o.TrustedProxies, tls: o.RequireTLS},
		tokens:    newTokens(o.Token, o.NextToken),
		calls:     newMeter(o.CallLimit, o.CallWindow),
		refused:   newMeter(o.RefusedLimit, o.RefusedWindow),
		recorder:  newRecorder(deps.Log),
		directory: newDirectoryCache(),
	}
	s.group = s.newGroup(groupLimits())
	return s
}

// Run serves group commits and writes the events of refused calls until ctx ends, then finishes the queued ones.
func (s *Service) Run(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { s.group.Run(ctx) })
	parts.Go(func() { s.recorder.run(ctx, s.Flush) })
	parts.Go(func() { s.followAccess(ctx) })
	parts.Wait()
}

// Flush writes pending events, alerts and uses of tokens. It waits for a concurrent Flush.
func (s *Service) Flush(ctx context.Context) error {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	return errors.Join(s.recorder.flush(ctx, s.PG, s.Clock.Now()), s.tokens.flush(ctx, s.PG))
}
