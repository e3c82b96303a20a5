package closes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/storage"
)

// Balance compares the records of a business day of an entity and those below it.
type Balance struct {
	EntityID    uuid.UUID
	Day         businessday.Day
	At          time.Time // of the snapshot that was read
	Checks      []Check
	Differences []Difference // the first maxDifferences
}

// Check is the name of a comparison with the number of its differences.
type Check struct {
	Name        string
	Differences int
}

// Difference is an amount that two records should agree on.
type Difference struct {
	Check    string
	EntityID uuid.UUID
	Currency ledger.Currency
	Expected money.Amount
	Found    money.Amount
	Rows     []Row
}

// Row names a row of a table.
type Row struct {
	Table string
	ID    uuid.UUID
}

// Names of the checks.
const (
	CheckTickets   = "tickets"  // each ticket is booked for its total, and a cancelled one reversed
	CheckBookings  = "bookings" // each booking is posted on its wallet, and postings sum to zero
	CheckPrizes    = "prizes"   // each payment of a prize, and each taken back, is booked, and each booking is of a payment
	CheckPayments  = "payments" // each payment of the bank has its deposit
	CheckWallets   = "wallets"  // each balance is the sum of its postings
	CheckCloses    = "closes"   // each close has the totals of its events, or of its parts
	maxDifferences = 200
)

// CheckNames lists the checks.
func CheckNames() []string {
	return []string{CheckTickets, CheckBookings, CheckPrizes, CheckPayments, CheckWallets, CheckCloses}
}

// Balance reconciles tickets, postings, wallets, payments and closes of a day of an entity in the caller's scope with
// those below it: the caller's own entity for Nil, today for the zero day. It reads one snapshot. Errors:
// ErrEntityNotFound, ErrFuture, months.ErrPeriodArchived.
func (s *Service) Balance(
	ctx context.Context, by caller.Caller, entity uuid.UUID, day businessday.Day,
) (*Balance, error) {
	if entity == uuid.Nil {
		entity = by.EntityID
	}
	if day.IsZero() {
		day = s.today()
	}
	if day.After(s.today()) {
		return nil, ErrFuture
	}
	chain, err := s.Org.Chain(ctx, entity)
	if errors.Is(err, org.ErrEntityNotFound) || err == nil && !by.Scope.Contains(chain.Path()) {
		return nil, ErrEntityNotFound
	}
	if err != nil {
		return nil, err
	}
	b := &balancing{Balance: Balance{EntityID: entity, Day: day, At: s.Clock.Now()}, pattern: chain.Path() + "%", counts: map[string]int{}}
	err = s.PG.Snapshot(ctx, func(tx pgx.Tx) error { return s.balance(ctx, tx, b) })
	if err != nil {
		return nil, err
	}
	for _, name := range CheckNames() {
		b.Checks = append(b.Checks, Check{Name: name, Differences: b.counts[name]})
	}
	err = ledger.FillCurrencies(ctx, s.Ledger, b.Differences, func(d *Difference) *ledger.Currency { return &d.Currency })
	return &b.Balance, err
}

// balancing is a balance that is being made.
type balancing struct {
	Balance

	pattern string
	counts  map[string]int
}

func (b *balancing) add(d *Difference) {
	if b.counts[d.Check]++; len(b.Differences) < maxDifferences {
		b.Differences = append(b.Differences, *d)
	}
}

func (s *Service) balance(ctx context.Context, tx pgx.Tx, b *balancing) error {
	from, to := b.Day.Bounds(s.Zone)
	if err := months.RequireKept(ctx, tx, from, to); err != nil {
		return err
	}
	for _, c := range comparisons() {
		if err := b.compare(ctx, tx, &c, from, to); err != nil {
			return err
		}
	}
	wallets, err := s.Ledger.DifferingTx(ctx, tx, b.pattern)
	if err != nil {
		return err
	}
	for _, w := range wallets {
		b.add(&Difference{
			Check: CheckWallets, EntityID: w.EntityID, Currency: ledger.Currency{ID: w.CurrencyID}, Expected: w.Posted,
			Found: w.Balance,
			Rows:  []Row{{"wallets", w.WalletID}},
		})
	}
	return s.compareCloses(ctx, tx, b)
}

// compare adds the differences that a statement finds.
func (b *balancing) compare(ctx context.Context, tx pgx.Tx, c *comparison, from, to time.Time) error {
	rows, err := tx.Query(ctx, c.query, b.pattern, from, to, b.Day)
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.check, err)
	}
	d := Difference{Check: c.check}
	var first, second uuid.NullUUID
	_, err = pgx.ForEachRow(rows, []any{&d.EntityID, &d.Currency.ID, &d.Expected, &d.Found, &first, &second}, func() error {
		d.Rows = nil
		for i, id := range []uuid.NullUUID{first, second} {
			if id.Valid {
				d.Rows = append(d.Rows, Row{c.tables[i], id.UUID})
			}
		}
		b.add(&d)
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.check, err)
	}
	return nil
}

// compareCloses computes the closes of the day again.
func (s *Service) compareCloses(ctx context.Context, tx pgx.Tx, b *balancing) error {
	list, err := storage.Collect(ctx, tx, "closes of a day", scan,
		`SELECT `+columns+` `+from+` WHERE c.day = $2 AND c.status = 'closed' AND e.path LIKE $1
		ORDER BY c.id`, b.pattern, b.Day)
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		want, err := s.again(ctx, tx, c)
		if err != nil {
			return err
		}
		if *want == c.Totals {
			continue
		}
		b.add(&Difference{
			Check: CheckCloses, EntityID: c.EntityID, Currency: c.Currency, Expected: want.Change(), Found: c.Change(),
			Rows: []Row{{"daily_closes", c.ID}},
		})
	}
	return nil
}

// again computes the totals of a close from its events, or from its parts.
func (s *Service) again(ctx context.Context, tx pgx.Tx, c *Close) (*Totals, error) {
	if c.Above() {
		sum := &Totals{}
		var cash, counted any
		into := append([]any{&cash}, append(sum.into(), &counted)...)
		err := tx.QueryRow(ctx, `SELECT `+partSums+` FROM daily_close_parts p JOIN daily_closes c ON c.id = p.part_id WHERE p.close_id = $1`, c.ID).Scan(into...)
		if err != nil {
			return nil, fmt.Errorf("sum of a close: %w", err)
		}
		return sum, nil
	}
	after, err := lastOf(ctx, tx, c.WalletID, c.Day)
	if err != nil {
		return nil, err
	}
	var seen string
	if err := tx.QueryRow(ctx, `SELECT seen::text FROM daily_closes WHERE id = $1`, c.ID).Scan(&seen); err != nil {
		return nil, fmt.Errorf("snapshot of a close: %w", err)
	}
	return s.readAsOf(ctx, tx, &period{wallet: c.WalletID, day: c.Day, after: &after, seen: seen})
}
