package sales

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/catalog"
	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// releaseTimeout bounds the release of reservations. The sweep releases those that fail.
const releaseTimeout = 2 * time.Second

func (s *Service) releaseReservations(ctx context.Context, list ...*risk.Reservation) {
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := s.Risk.Release(ctx, list...); err != nil {
		s.Log.Warn("reservations left to the sweep", slog.Int("count", len(list)), slog.Any("ticket_id", list[0].TicketID), slog.Any("error", err))
	}
}

// writeBatch runs the transaction of a batch. It returns nil when every sale of the batch has its outcome.
func (s *Service) writeBatch(ctx context.Context, batch []*pendingSale) error {
	if batch = refuseLate(batch, s.Clock.Now()); len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	conn, err := s.PG.Commits.Acquire(ctx)
	if err != nil {
		return apperr.ErrStore.WithCause(err)
	}
	defer conn.Release() // a connection left inside a transaction is closed by the pool
	facts, err := readFacts(ctx, conn, batch)
	if err != nil {
		return apperr.ErrStore.WithCause(err)
	}
	at, now := clock.DecisionTime(s.Clock, facts.databaseNow), s.Clock.Now()
	accepted := make([]*pendingSale, 0, len(batch))
	for _, p := range batch {
		if p.result = facts.decide(p, at, now); p.result == (outcome{}) {
			accepted = append(accepted, p)
		}
	}
	if len(accepted) == 0 {
		_, _ = conn.Exec(ctx, "rollback")
		return nil
	}
	return s.write(ctx, conn, facts, accepted)
}

// refuseLate refuses the sales that have waited so long that the sweep may soon release their reservations, and
// returns the others. It needs no database, so the queue empties even if Postgres hangs.
func refuseLate(batch []*pendingSale, now time.Time) []*pendingSale {
	inTime := make([]*pendingSale, 0, len(batch))
	for _, p := range batch {
		p.result = outcome{}
		if now.Sub(p.reservation.At) > risk.CommitWithin {
			p.result.err = ErrBusy
			continue
		}
		inTime = append(inTime, p)
	}
	return inTime
}

// facts is what Postgres holds about a batch, read under locks. The sales of the batch are decided by it.
type facts struct {
	wallets     map[uuid.UUID]*ledger.Wallet
	draws       map[uuid.UUID]drawFact
	keys        map[uuid.UUID]*idempotency.Answer
	buyers      *customers.Buyers
	credits     map[uuid.UUID]*creditFact
	databaseNow time.Time // the database's clock, read under the locks
}

type drawFact struct {
	catalog.Draw // only the fields that determine the sale stop
	epoch        int64
	minRules     int // oldest rule version that is still sold
}

const readDraws = `SELECT d.id, d.status, d.draw_time, d.sale_stop_at, ` + catalog.StopInherited + `, d.risk_epoch, d.min_rule_version, clock_timestamp()
	FROM draws d JOIN games g ON g.id = d.game_id WHERE d.id = ANY ($1::uuid[])`

// readFacts begins the transaction, locks the draws and credits of the bank shared and then the wallets exclusively, each
// in the order of their ids, and reads the facts, all in one round trip.
func readFacts(ctx context.Context, conn *pgxpool.Conn, batch []*pendingSale) (*facts, error) {
	f := &facts{
		wallets: make(map[uuid.UUID]*ledger.Wallet), draws: make(map[uuid.UUID]drawFact),
		keys: make(map[uuid.UUID]*idempotency.Answer), buyers: customers.NewBuyers(),
	}
	draws, wallets, keys := idsOf(batch)
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(storage.ShareDrawsSQL, storage.DrawLocks(draws))
	f.queueCredits(b, batch)
	ledger.QueueLock(b, wallets, f.wallets)
	b.Queue(readDraws, storage.UUIDs(draws)).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var d drawFact
		_, err := pgx.ForEachRow(rows, []any{&id, &d.Status, &d.Time, &d.SaleStopAt, &d.StopInherited, &d.epoch, &d.minRules, &f.databaseNow}, func() error {
			f.draws[id] = d
			return nil
		})
		return err
	})
	idempotency.QueueFind(b, keys, f.keys)
	f.queueBuyers(b, batch)
	return f, conn.SendBatch(ctx, b).Close()
}

// decide returns the outcome of a sale: refused, a repeat of an earlier request, or accepted. An accepted sale is added
// to the facts, so that the next sale of the batch sees its effect. at is the database's time, compared with sale
// stops; now is the process's time, from which the waiting time is computed.
func (f *facts) decide(p *pendingSale, at, now time.Time) outcome {
	if first := f.keys[p.use.Key]; p.use.Key != uuid.Nil && first != nil {
		if err := idempotency.Compare(first.Meaning, p.use.Meaning); err != nil {
			return outcome{err: err}
		}
		return outcome{repeat: first}
	}
	for draw, epoch := range p.reservation.Epochs {
		d, ok := f.draws[draw]
		switch {
		case !ok || !d.OpenAt(at) || !at.Before(d.StopFor(p.quote.chain.SaleStop())): // the stop may have changed since the quote
			return outcome{err: ErrDrawsStopped}
		case d.epoch != epoch:
			return outcome{err: errStaleReservation}
		}
	}
	for i := range p.quote.lines { // every line must be covered by the reservation
		draw := p.quote.lines[i].DrawID
		if _, ok := p.reservation.Epochs[draw]; !ok {
			return outcome{err: errStaleReservation}
		}
		if p.quote.lines[i].game.RuleVersion < f.draws[draw].minRules {
			return outcome{err: ErrStaleRules}
		}
	}
	switch {
	case !at.Before(p.quote.stop): // the stop that the seller was quoted
		return outcome{err: ErrDrawsStopped}
	case now.Sub(p.reservation.At) > risk.CommitWithin: // waiting for locks counts too
		return outcome{err: ErrBusy}
	}
	w := f.wallets[p.wallet]
	if w == nil || w.Status != models.StatusActive {
		return outcome{err: ledger.ErrNoWallet}
	}
	change := ledger.ChangeOf(p.wallet, p.money)
	if !w.Covers(change) {
		return outcome{err: ledger.ErrInsufficientBalance}
	}
	if err := f.spend(p); err != nil {
		return outcome{err: err}
	}
	w.Balance += change
	if p.use.Key != uuid.Nil {
		f.keys[p.use.Key] = p.answer()
	}
	f.assignBuyer(p)
	return outcome{}
}

// write inserts the accepted sales and commits, in one round trip.
func (s *Service) write(ctx context.Context, conn *pgxpool.Conn, f *facts, accepted []*pendingSale) error {
	b := &pgx.Batch{}
	f.buyers.QueueWrite(b)
	queueTickets(b, accepted)
	queuePayments(b, accepted)
	queueKeys(b, accepted)
	queueOutbox(b, accepted)
	var transactions []ledger.Transaction
	for _, p := range accepted {
		transactions = append(transactions, p.money...)
	}
	ledger.QueueFold(b, f.wallets)
	ledger.QueuePost(b, transactions, f.wallets)
	b.Queue("commit")
	return storage.CommitError(conn.SendBatch(ctx, b).Close())
}

// idsOf returns the draws and wallets of a batch, sorted and without repeats, and its idempotency keys.
func idsOf(batch []*pendingSale) (draws, wallets, keys []uuid.UUID) {
	for _, p := range batch {
		for draw := range p.reservation.Epochs {
			draws = append(draws, draw)
		}
		wallets = append(wallets, p.wallet)
		if p.use.Key != uuid.Nil {
			keys = append(keys, p.use.Key)
		}
	}
	return distinct(draws), distinct(wallets), keys
}
