package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/risk"
	"banca/models"
)

// commitBatch commits sales in one transaction and settles each: its result is set, its reservation
// confirmed or given back, its done closed. Two round trips: lock and read, then write and commit.
// A batch that fails is tried again one by one, so that one bad sale never hurts its neighbours.
func (s *Service) commitBatch(ctx context.Context, batch []*pendingSale) {
	err := s.writeBatch(ctx, batch)
	if err != nil && len(batch) > 1 && !errors.Is(err, ErrUnknownOutcome) {
		for _, p := range batch {
			s.commitBatch(ctx, []*pendingSale{p})
		}
		return
	}
	for _, p := range batch {
		if err != nil && p.result == (outcome{}) {
			p.result = s.outcomeAfter(ctx, p, err)
		}
		s.settle(p)
	}
	if err == nil {
		s.Wake()
	}
}

// outcomeAfter decides what a failed transaction means for a sale. Where the connection was lost while
// committing, Postgres is asked what happened.
func (s *Service) outcomeAfter(ctx context.Context, p *pendingSale, err error) outcome {
	if !errors.Is(err, ErrUnknownOutcome) {
		return outcome{err: translate(err)}
	}
	committed, known := s.wasCommitted(ctx, p)
	switch {
	case !known:
		return outcome{err: err}
	case committed:
		return outcome{}
	default:
		return outcome{err: ErrStore.WithCause(err)}
	}
}

// settle deals with the reservation of a decided sale and lets its caller go on.
func (s *Service) settle(p *pendingSale) {
	defer close(p.done)
	switch {
	case p.result.err == nil && p.result.repeat == nil:
		s.committer.confirmLater(p.reservation)
	case errors.Is(p.result.err, ErrUnknownOutcome): // only the sweep can tell, and will
		s.Log.Warn("sale with unknown outcome", "ticket_id", p.ticket.ID, "error", p.result.err)
	default:
		s.giveBack(p.reservation)
	}
}

// giveBackTimeout bounds the release of a reservation; what fails is left to the sweep.
const giveBackTimeout = 2 * time.Second

func (s *Service) giveBack(r *risk.Reservation) {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackTimeout)
	defer cancel()
	if err := s.Risk.Release(ctx, r); err != nil {
		s.Log.Warn("reservation left to the sweep", "ticket_id", r.TicketID, "error", err)
	}
}

// writeBatch runs the transaction. It returns nil when every sale of the batch has been decided.
func (s *Service) writeBatch(ctx context.Context, batch []*pendingSale) error {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	conn, err := s.PG.Pool.Acquire(ctx)
	if err != nil {
		return ErrStore.WithCause(err)
	}
	defer conn.Release() // a connection left inside a transaction is closed by the pool
	facts, err := readFacts(ctx, conn, batch)
	if err != nil {
		return ErrStore.WithCause(err)
	}
	now := s.Clock.Now()
	accepted := make([]*pendingSale, 0, len(batch))
	for _, p := range batch {
		if p.result = facts.decide(p, now); p.result == (outcome{}) {
			accepted = append(accepted, p)
		}
	}
	if len(accepted) == 0 {
		_, _ = conn.Exec(ctx, "rollback")
		return nil
	}
	return s.write(ctx, conn, facts, accepted)
}

// facts are what a batch decides upon, read under locks.
type facts struct {
	wallets   map[uuid.UUID]*ledger.Wallet
	draws     map[uuid.UUID]drawFact
	keys      map[uuid.UUID]*repeat
	customers map[customerKey]uuid.UUID
	fresh     []models.Customer // to be created
}

type drawFact struct {
	status string
	stop   time.Time
	epoch  int64
}

type customerKey struct {
	entity uuid.UUID
	phone  string
}

const (
	lockDraws = `SELECT pg_advisory_xact_lock_shared(k) FROM unnest($1::bigint[]) k`
	readDraws = `SELECT id, status, sale_stop_at, risk_epoch FROM draws WHERE id = ANY ($1::uuid[])`
	readKeys  = `SELECT id, request_hash, ticket_id, response FROM idempotency_keys WHERE id = ANY ($1::uuid[])`
	readBuyer = `SELECT c.entity_id, c.phone, c.id FROM unnest($1::uuid[], $2::text[]) AS b (entity_id, phone) JOIN customers c USING (entity_id, phone)`
)

// readFacts begins the transaction, takes the draws' locks shared and the wallets' exclusively, always
// in that order and sorted, and reads what the decisions need, all in one round trip.
func readFacts(ctx context.Context, conn *pgxpool.Conn, batch []*pendingSale) (*facts, error) {
	f := &facts{
		wallets: make(map[uuid.UUID]*ledger.Wallet), draws: make(map[uuid.UUID]drawFact),
		keys: make(map[uuid.UUID]*repeat), customers: make(map[customerKey]uuid.UUID),
	}
	draws, wallets, keys := idsOf(batch)
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lockDraws, risk.SortedLockKeys(draws))
	ledger.QueueLock(b, wallets, f.wallets)
	b.Queue(readDraws, raw(draws)).Query(func(rows pgx.Rows) error {
		return each(rows, func() error {
			var id uuid.UUID
			var d drawFact
			err := rows.Scan(&id, &d.status, &d.stop, &d.epoch)
			f.draws[id] = d
			return err
		})
	})
	if len(keys) > 0 {
		b.Queue(readKeys, keys).Query(func(rows pgx.Rows) error {
			return each(rows, func() error {
				id, r, err := scanRepeat(rows)
				f.keys[id] = r
				return err
			})
		})
	}
	f.queueBuyers(b, batch)
	return f, conn.SendBatch(ctx, b).Close()
}

// queueBuyers looks up the customers that sales name by telephone.
func (f *facts) queueBuyers(b *pgx.Batch, batch []*pendingSale) {
	var entities [][16]byte
	var phones []string
	for _, p := range batch {
		if c := p.quote.customer; c != nil {
			entities, phones = append(entities, p.ticket.EntityID), append(phones, c.Phone)
		}
	}
	if len(entities) == 0 {
		return
	}
	b.Queue(readBuyer, entities, phones).Query(func(rows pgx.Rows) error {
		return each(rows, func() error {
			var k customerKey
			var id uuid.UUID
			err := rows.Scan(&k.entity, &k.phone, &id)
			f.customers[k] = id
			return err
		})
	})
}

// decide refuses a sale, finds it a repeat, or accepts it and counts it in, so that the next sale of
// the batch sees its effect.
func (f *facts) decide(p *pendingSale, now time.Time) outcome {
	if first := f.keys[p.key]; p.key != uuid.Nil && first != nil {
		if first.hash != p.hash {
			return outcome{err: ErrKeyReused}
		}
		return outcome{repeat: first}
	}
	for draw, epoch := range p.reservation.Epochs {
		d, ok := f.draws[draw]
		switch {
		case !ok || d.status != models.DrawOpen || !now.Before(d.stop):
			return outcome{err: ErrDrawsStopped}
		case d.epoch != epoch:
			return outcome{err: errStaleReservation}
		}
	}
	if now.Sub(p.reservation.At) > risk.CommitWithin {
		return outcome{err: errStaleReservation}
	}
	w := f.wallets[p.wallet]
	if w == nil || w.Status != models.StatusActive {
		return outcome{err: ledger.ErrNoWallet}
	}
	change := changeOf(p)
	if !w.Covers(change) {
		return outcome{err: ledger.ErrInsufficientBalance}
	}
	w.Balance += change
	if p.key != uuid.Nil {
		f.keys[p.key] = &repeat{hash: p.hash, ticketID: p.ticket.ID, response: encodeCuts(p.cuts)}
	}
	f.assignBuyer(p)
	return outcome{}
}

// assignBuyer gives the ticket its customer, a new one if the telephone is unknown.
func (f *facts) assignBuyer(p *pendingSale) {
	c := p.quote.customer
	if c == nil {
		return
	}
	k := customerKey{entity: p.ticket.EntityID, phone: c.Phone}
	id, ok := f.customers[k]
	if !ok {
		id = uuid.Must(uuid.NewV7())
		f.customers[k] = id
		f.fresh = append(f.fresh, models.Customer{ID: id, EntityID: k.entity, Name: c.Name, Phone: k.phone})
	}
	p.ticket.CustomerID = &id
}

func changeOf(p *pendingSale) money.Amount {
	var sum money.Amount
	for i := range p.money {
		for _, posting := range p.money[i].Postings {
			if posting.WalletID == p.wallet {
				sum += posting.Amount
			}
		}
	}
	return sum
}

// write inserts the accepted sales and commits, in one round trip.
func (s *Service) write(ctx context.Context, conn *pgxpool.Conn, f *facts, accepted []*pendingSale) error {
	b := &pgx.Batch{}
	queueCustomers(b, f.fresh)
	queueTickets(b, accepted)
	queueItems(b, accepted)
	queueKeys(b, accepted)
	queueOutbox(b, accepted)
	var transactions []ledger.Transaction
	wallets := make([][16]byte, 0, len(accepted))
	for _, p := range accepted {
		transactions = append(transactions, p.money...)
		wallets = append(wallets, p.wallet)
	}
	ledger.QueuePost(b, transactions)
	ledger.QueueFold(b, distinct(wallets))
	b.Queue("commit")
	err := conn.SendBatch(ctx, b).Close()
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Code[:2] != "57" && refused.Code[:2] != "08": // an operator's stop or a lost link may follow the commit
		return fmt.Errorf("write sales: %w", err)
	default:
		return ErrUnknownOutcome.WithCause(err)
	}
}

// idsOf collects the distinct draws, wallets and keys of a batch; wallets come sorted by the query.
func idsOf(batch []*pendingSale) (draws []uuid.UUID, wallets, keys [][16]byte) {
	for _, p := range batch {
		for draw := range p.reservation.Epochs {
			draws = append(draws, draw)
		}
		wallets = append(wallets, p.wallet)
		if p.key != uuid.Nil {
			keys = append(keys, p.key)
		}
	}
	slices.SortFunc(draws, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(draws), distinct(wallets), keys
}
