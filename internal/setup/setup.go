// Package setup prepares an empty migrated database for its operator: the operator's entity, currencies, banks, network
// codes, chosen games, default limits, the bank's access and the first administrator. `banca init` and the page /setup
// use it.
//
// Invariants: everything is written in one transaction under storage.LockTree, or nothing; a database with users is
// refused. The page is open to the holder of the one-time code that a start prints, of which the table first_setup has the
// hash.
package setup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/ratelimit"
	"banca/internal/risk"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG      *storage.Postgres
	Org     *org.Service
	Auth    *auth.Service
	Guesses *ratelimit.Guesses // of the one-time code
	Clock   clock.Clock
	Zone    *time.Location                  // of business days, where a request names none
	Sources []string                        // names of the configured sources of results
	Done    func(ctx context.Context) error // follows the transaction: generates the first draws, which tasks do again
	Log     *slog.Logger
}

// Service sets up a database.
type Service struct {
	Deps

	done     atomic.Bool // the database has users, which never ends
	complete atomic.Bool // nothing remains to be listed
}

// New returns the service.
func New(d Deps) *Service { return &Service{Deps: d} }

// Needed reports whether the database has no user yet.
func (s *Service) Needed(ctx context.Context) (bool, error) {
	if s.done.Load() {
		return false, nil
	}
	has, err := s.Auth.HasUsers(ctx)
	if err != nil {
		return false, err
	}
	s.done.Store(has)
	return !has, nil
}

// Run sets the database up and returns the first administrator. Errors: auth.ErrHasUsers, ErrInvalid with the refused
// fields, org.ErrInvalidEntity, auth.ErrInvalidUser, auth.ErrWeakPassword.
func (s *Service) Run(ctx context.Context, r *Request) (auth.User, error) {
	if needed, err := s.Needed(ctx); err != nil {
		return auth.User{}, err
	} else if !needed {
		return auth.User{}, auth.ErrHasUsers
	}
	c, err := r.check()
	if err != nil {
		return auth.User{}, err
	}
	if c.admin, err = s.Auth.PrepareFirst(ctx, &r.Admin); err != nil {
		return auth.User{}, err
	}
	var admin auth.User
	err = s.PG.RetriedWithGorm(ctx, func(tx pgx.Tx, orm *gorm.DB) (err error) {
		admin, err = s.runTx(ctx, tx, orm, r, c)
		return err
	})
	if err != nil {
		return auth.User{}, err
	}
	s.done.Store(true)
	// The administrator exists: an error would keep `banca init` from showing the only password.
	if err := s.Done(context.WithoutCancel(ctx)); err != nil {
		s.Log.WarnContext(ctx, "setup: the rest is left to tasks", slog.Any("error", err))
	}
	return admin, nil
}

// runTx writes everything. OperatorTx takes the lock that serialises concurrent setups, and the administrator is
// written right after it, so that the second one ends before it writes anything.
func (s *Service) runTx(
	ctx context.Context, tx pgx.Tx, orm *gorm.DB, r *Request, c *checked,
) (admin auth.User, err error) {
	root, err := s.Org.OperatorTx(ctx, orm, r.Operator, r.Code)
	if err != nil {
		return admin, err
	}
	if admin, err = s.Auth.CreateFirstTx(ctx, orm, c.admin, root); err != nil {
		return admin, err
	}
	b := &pgx.Batch{}
	if err := seed.QueueReference(b, c.codes, r.Games); err != nil {
		return admin, err
	}
	for metric, base := range c.limits {
		risk.QueueLimit(b, uuid.Must(uuid.NewV7()), root, c.bank.ID, metric, base)
	}
	b.Queue(`INSERT INTO first_setup (zone, default_rate, done_at) VALUES ($1, $2, clock_timestamp())
		ON CONFLICT (one) DO UPDATE SET zone = excluded.zone, default_rate = excluded.default_rate, done_at = excluded.done_at, code_hash = NULL`,
		r.Zone, r.Percent)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return admin, fmt.Errorf("set up: %w", err)
	}
	if err := s.ratesTx(ctx, tx, c, admin.ID); err != nil {
		return admin, err
	}
	if r.Bank == nil {
		return admin, nil
	}
	return admin, bank.SetAccessTx(ctx, tx, r.Bank)
}

// ratesTx writes the first exchange rates: units of each currency for one of the base.
func (s *Service) ratesTx(ctx context.Context, tx pgx.Tx, c *checked, admin uuid.UUID) error {
	zone := s.Zone
	if c.zone != nil {
		zone = c.zone
	}
	today := businessday.Of(s.Clock.Now(), zone)
	for i := range c.rates {
		x := &c.rates[i]
		x.Day, x.UserID = today, admin
		if err := ledger.SetRateTx(ctx, tx, x); err != nil {
			return err
		}
	}
	return nil
}

// Settings are the answers of the setup that no other table has.
type Settings struct {
	Zone        string // name of a time zone; "" for the configuration's
	DefaultRate string // commission of an agency whose row in an import names none, in percent; "" for none
	Done        bool   // by the page or `banca init`
}

// Stored returns the settings, the zero value for a database that was set up by an earlier release.
func Stored(ctx context.Context, q storage.RowQuerier) (st Settings, err error) {
	err = q.QueryRow(ctx, `SELECT zone, default_rate, done_at IS NOT NULL FROM first_setup`).Scan(&st.Zone, &st.DefaultRate, &st.Done)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return st, fmt.Errorf("settings of the setup: %w", err)
	}
	return st, nil
}

// NewPassword returns a random password of 26 letters and digits.
func NewPassword() string { return rand.Text() }

// limitMetrics are the metrics of the default limits.
func (r *Request) limitMetrics() map[string]string {
	return map[string]string{models.MetricStake: r.Stake, models.MetricLiability: r.Liability}
}

// AllGames are the short codes of the games of the catalogue.
func AllGames() ([]string, error) { return seed.GameCodes() }

// DefaultRate is the commission of an imported agency that names none, in percent; "" for none.
func (s *Service) DefaultRate(ctx context.Context) (string, error) {
	stored, err := Stored(ctx, s.PG.Pool)
	return stored.DefaultRate, err
}
