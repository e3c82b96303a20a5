package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/storage"
)

// Wallet is a wallet with its exact balance, pending postings included.
type Wallet struct {
	ID          uuid.UUID
	EntityID    uuid.UUID
	Entity      string // name; not set when locked
	CurrencyID  uuid.UUID
	Kind        string
	Status      string
	Balance     money.Amount
	CreditLimit money.Amount
	Unlimited   bool
	Pending     money.Amount // the part of Balance that waits to be folded; set when locked
}

// Covers reports whether the wallet can bear a change of its balance.
func (w *Wallet) Covers(change money.Amount) bool {
	return w.Unlimited || change >= 0 || w.Balance+change >= -w.CreditLimit
}

// MainWallets returns the ids of the entities' main wallets in a currency, in the order given,
// opening an empty one where an entity has none yet.
func (s *Service) MainWallets(ctx context.Context, currency uuid.UUID, entities ...uuid.UUID) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(entities))
	for i, e := range entities {
		id, err := s.wallets.Get(
			ctx, walletKey{entity: e, currency: currency}, otter.LoaderFunc[walletKey, uuid.UUID](s.openWallet),
		)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

func (s *Service) openWallet(ctx context.Context, key walletKey) (uuid.UUID, error) {
	return openWallet(ctx, s.pg.Pool, key)
}

// openWallet finds a main wallet or creates it; two callers at once agree by the unique key. The wallet of the
// operator, the other side of every sale and prize, is unlimited.
func openWallet(ctx context.Context, db poolOrTx, key walletKey) (uuid.UUID, error) {
	const find = `SELECT id FROM wallets WHERE entity_id = $1 AND currency_id = $2 AND kind = 'main'`
	var id uuid.UUID
	err := db.QueryRow(ctx, find, key.entity, key.currency).Scan(&id)
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	_, err = db.Exec(ctx, `INSERT INTO wallets (id, entity_id, currency_id, kind, unlimited)
		VALUES ($1, $2, $3, 'main', EXISTS (SELECT 1 FROM entities WHERE id = $2 AND parent_id IS NULL)) ON CONFLICT DO NOTHING`,
		uuid.Must(uuid.NewV7()), key.entity, key.currency)
	if err != nil {
		return id, fmt.Errorf("open wallet: %w", err)
	}
	return id, db.QueryRow(ctx, find, key.entity, key.currency).Scan(&id)
}

// poolOrTx reads a row and writes.
type poolOrTx interface {
	storage.RowQuerier
	storage.Execer
}

// walletListing selects wallets in the caller's scope with exact balances.
func walletListing(by caller.Caller) *storage.Listing {
	w := &storage.Where{}
	w.And(`e.path LIKE ` + w.Arg(by.Scope.Pattern()))
	return &storage.Listing{
		Columns: `w.id, w.entity_id, e.name AS entity, w.currency_id, w.kind, w.status, w.credit_limit, w.unlimited, w.balance`,
		From:    `FROM wallet_balances w JOIN entities e ON e.id = w.entity_id`,
		Where:   w, Order: `e.path, w.kind, w.currency_id`,
	}
}

// WalletFilter selects wallets. A zero field does not bound them.
type WalletFilter struct {
	EntityID      uuid.UUID
	Entities      []uuid.UUID // one of these; nil for all
	Currency      string      // code or id
	Kind          string
	Search        string    // in the name or code of the entity
	AsOf          time.Time // of the balances; zero is now
	Limit, Offset int
}

// Wallets lists the wallets in the caller's scope with exact balances, now or at a past instant, and returns their
// number. The other fields are the current ones. Errors: ErrCurrencyNotFound, ErrFutureInstant.
func (s *Service) Wallets(
	ctx context.Context, by caller.Caller, f *WalletFilter,
) (list []Wallet, total int64, err error) {
	l := walletListing(by)
	if f.EntityID != uuid.Nil {
		l.Where.And(`w.entity_id = ` + l.Where.Arg(f.EntityID))
	}
	if f.Entities != nil {
		l.Where.And(`w.entity_id = ANY (` + l.Where.Arg(storage.UUIDs(f.Entities)) + `)`)
	}
	if f.Currency != "" {
		c, err := s.AnyCurrency(ctx, f.Currency)
		if err != nil {
			return nil, 0, err
		}
		l.Where.And(`w.currency_id = ` + l.Where.Arg(c.ID))
	}
	if f.Kind != "" {
		l.Where.And(`w.kind = ` + l.Where.Arg(f.Kind))
	}
	if f.Search != "" {
		text := l.Where.Arg(storage.Containing(f.Search))
		l.Where.And(`(e.name ILIKE ` + text + ` OR e.code ILIKE ` + text + `)`)
	}
	err = s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		if list, total, err = storage.List(ctx, tx, l, pgx.RowToStructByNameLax[Wallet], f.Limit, f.Offset); err != nil || f.AsOf.IsZero() {
			return err
		}
		if err := s.requirePast(ctx, tx, f.AsOf); err != nil {
			return err
		}
		return s.setBalancesAt(ctx, tx, list, f.AsOf)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list wallets: %w", err)
	}
	return list, total, nil
}

// requirePast returns ErrFutureInstant for an instant to come.
func (s *Service) requirePast(ctx context.Context, tx pgx.Tx, at time.Time) error {
	var read time.Time
	if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&read); err != nil {
		return fmt.Errorf("time: %w", err)
	}
	if at.After(clock.DecisionTime(s.options.Clock, read)) {
		return ErrFutureInstant
	}
	return nil
}

// OpenMain opens the main wallet of an entity in an active currency, if it has none yet. Errors: ErrWalletUnknown for
// an entity outside of the caller's scope, ErrCurrencyNotFound.
func (s *Service) OpenMain(ctx context.Context, by caller.Caller, entity uuid.UUID, currency string) error {
	var inScope bool
	err := s.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM entities WHERE id = $1 AND path LIKE $2)`, entity, by.Scope.Pattern()).Scan(&inScope)
	switch {
	case err != nil:
		return fmt.Errorf("entity of a wallet: %w", err)
	case !inScope:
		return ErrWalletUnknown
	}
	c, err := s.Currency(ctx, currency)
	if err != nil {
		return err
	}
	_, err = s.MainWallets(ctx, c.ID, entity)
	return err
}

// Wallet returns a wallet in the caller's scope with its exact balance, now or, if at is not zero, after the postings
// up to and including at. Errors: ErrWalletUnknown, ErrFutureInstant.
func (s *Service) Wallet(ctx context.Context, by caller.Caller, id uuid.UUID, at time.Time) (w Wallet, err error) {
	err = s.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		if w, err = walletInScope(ctx, tx, by, id); err != nil || at.IsZero() {
			return err
		}
		if err := s.requirePast(ctx, tx, at); err != nil {
			return err
		}
		w.Balance, err = s.balanceAt(ctx, tx, id, at)
		return err
	})
	return w, err
}

func walletInScope(ctx context.Context, tx pgx.Tx, by caller.Caller, id uuid.UUID) (Wallet, error) {
	l := walletListing(by)
	l.Where.And(`w.id = ` + l.Where.Arg(id))
	w, err := storage.One(ctx, tx, "find wallet", ErrWalletUnknown, pgx.RowToStructByNameLax[Wallet],
		`SELECT `+l.Columns+` `+l.From+l.Where.SQL(), l.Where.Args()...)
	if err != nil {
		return Wallet{}, err
	}
	return *w, nil
}
