package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/internal/idempotency"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/risk"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Sell sells a ticket: the whole story, top to bottom.
//
// The request is checked line by line against the catalogue; room for it is reserved under every
// limit; the ticket, its money, its lines and the task that prints it are committed in one Postgres
// transaction; then the reservation is confirmed. A failure before the commit gives the room back and
// changes nothing. A repeat of an idempotency key gets the first answer.
//
// Errors: ErrInvalidTicket and its kin, risk.ErrLimitExceeded, risk.ErrUnavailable,
// ledger.ErrInsufficientBalance, ErrBusy, ErrStore, and those of idempotency.
func (s *Service) Sell(ctx context.Context, by caller.Caller, req *SellRequest) (*Sold, error) {
	key, err := idempotency.KeyOf(req.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	use := idempotency.Use{Key: key}
	if key != uuid.Nil {
		if use.Meaning, err = s.meaningOf(ctx, req); err != nil {
			return nil, err
		}
	}
	defer s.keys.Lock(key)()
	defer s.group.Arrive()()

	sold, err := s.sellOnce(ctx, by, req, use, false)
	switch {
	case errors.Is(err, errRecounted): // the counters were rebuilt in between: reserve again, once
		sold, err = s.sellOnce(ctx, by, req, use, true)
	case errors.Is(err, ErrStaleRules): // another process changed them: quote again with the new rules
		s.Catalog.Forget()
		sold, err = s.sellOnce(ctx, by, req, use, false)
	case errors.Is(err, ErrDrawsStopped):
		err = s.nameStopped(ctx, by, req, err)
	}
	if err != nil && key != uuid.Nil {
		return s.repeatOf(ctx, use, err)
	}
	return sold, err
}

// sellOnce makes one attempt; recheck has the risk engine compare its counters with Postgres first.
func (s *Service) sellOnce(ctx context.Context, by caller.Caller, req *SellRequest, use idempotency.Use, recheck bool) (*Sold, error) {
	committing := ctx
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	q, err := s.quote(ctx, by, req)
	if err != nil {
		return nil, Refusal(err)
	}
	identity := s.Identify()
	room := q.riskRequest(identity.ID, req.AcceptPartial)
	room.Recheck = recheck
	reservation, err := s.Risk.Reserve(ctx, room)
	if err != nil {
		return nil, err
	}
	cuts := q.cut(reservation)
	q.setRates()
	p, err := s.prepare(ctx, by, req, q, &identity, reservation)
	if err != nil {
		s.releaseReservations(ctx, reservation)
		return nil, err
	}
	p.use, p.cuts = use, cuts

	out := s.commit(committing, p)
	if out.err != nil {
		return nil, out.err
	}
	if out.repeat != nil {
		return s.replay(committing, out.repeat)
	}
	return &Sold{Ticket: p.view(), Cuts: cuts}, nil
}

// nameStopped names the lines whose draws have stopped if the cached catalogue did not have the stop yet.
func (s *Service) nameStopped(ctx context.Context, by caller.Caller, req *SellRequest, refusal error) error {
	draws := make([]uuid.UUID, 0, len(req.Items))
	for i := range req.Items {
		if id, err := uuid.Parse(req.Items[i].DrawID); err == nil {
			draws = append(draws, id)
		}
	}
	s.Catalog.ForgetDraws(draws...)
	if _, err := s.quote(ctx, by, req); errors.Is(err, ErrInvalidTicket) {
		return err
	}
	return refusal
}

// prepare turns a quote with its reservation into the rows and postings to commit.
func (s *Service) prepare(ctx context.Context, by caller.Caller, req *SellRequest, q *quote, identity *Identity, res *risk.Reservation) (*pendingSale, error) {
	entities := make([]uuid.UUID, len(q.chain))
	for i := range q.chain {
		entities[i] = q.chain[i].ID
	}
	wallets, err := s.Ledger.MainWallets(ctx, q.currency.ID, entities...)
	if err != nil {
		return nil, ErrStore.WithCause(err)
	}
	row, err := outbox.NewRow(tasks.ReceiptRender{TicketID: identity.ID.String()})
	if err != nil {
		return nil, fmt.Errorf("receipt task: %w", err)
	}
	p := &pendingSale{quote: q, reservation: res, wallet: wallets[len(wallets)-1], outbox: row}
	p.ticket = models.Ticket{
		ID: identity.ID, SerialCode: identity.SerialCode, ValidationCode: identity.ValidationCode,
		EntityID: q.chain.Self().ID, UserID: by.UserID, WalletID: p.wallet, CurrencyID: q.currency.ID,
		Status: models.TicketPending, WantsPaymentInfo: req.WantsPaymentInfo,
		CancelBefore: q.cancelBefore, ExpiresAt: q.expiresAt, CreatedAt: q.now,
	}
	if req.CustomerID != uuid.Nil {
		p.ticket.CustomerID = &req.CustomerID
	}
	for i := range q.lines {
		p.ticket.Total += int64(q.lines[i].Amount)
		p.ticket.PotentialPrize += int64(q.lines[i].PotentialPrize)
	}
	p.money = saleTransactions(p, wallets)
	return p, nil
}

// saleTransactions books a sale. The ticket point keeps the buyer's cash, so its wallet is debited and the root's
// credited; of that the root pays the commissions, each level its margin.
func saleTransactions(p *pendingSale, wallets []uuid.UUID) []ledger.Transaction {
	total, root := money.Amount(p.ticket.Total), wallets[0]
	base := ledger.Transaction{
		EntityID: p.ticket.EntityID, CurrencyID: p.ticket.CurrencyID, TicketID: p.ticket.ID,
		UserID: p.ticket.UserID, At: p.ticket.CreatedAt,
	}
	sale := base
	sale.ID, sale.Type, sale.Amount = ledger.SaleID(p.ticket.ID), models.TransactionSale, total
	sale.Postings = []ledger.Posting{{WalletID: p.wallet, Amount: -total}, {WalletID: root, Amount: total}}

	commission := base
	commission.ID, commission.Type = ledger.CommissionID(p.ticket.ID), models.TransactionCommission
	for level, amount := range p.quote.margins() {
		if amount > 0 {
			commission.Amount += amount
			commission.Postings = append(commission.Postings, ledger.Posting{WalletID: wallets[level+1], Amount: amount})
		}
	}
	if commission.Amount == 0 {
		return []ledger.Transaction{sale}
	}
	commission.Postings = append(commission.Postings, ledger.Posting{WalletID: root, Amount: -commission.Amount})
	return []ledger.Transaction{sale, commission}
}

// repeatOf returns the answer of an equal request that succeeded before a refused one. Otherwise the refusal stands,
// also for a caller that may not see the entity.
func (s *Service) repeatOf(ctx context.Context, use idempotency.Use, refusal error) (*Sold, error) {
	for _, final := range []error{idempotency.ErrKeyReused, org.ErrEntityNotFound, idempotency.ErrUnknownOutcome} { // the last has asked already
		if errors.Is(refusal, final) {
			return nil, refusal
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	first, found, err := use.Find(ctx, s.PG.Pool)
	switch {
	case !found:
		return nil, refusal
	case err != nil:
		return nil, err
	}
	return s.replay(ctx, first)
}

// replay returns the first answer: the ticket as it was when sold.
func (s *Service) replay(ctx context.Context, first *idempotency.Answer) (*Sold, error) {
	t, err := s.load(ctx, first.TicketID)
	if err != nil {
		return nil, Refusal(err)
	}
	t.Status, t.ImageURL, t.CancelledAt = models.TicketPending, "", time.Time{}
	cuts, err := decodeCuts(first.Response)
	if err != nil {
		return nil, fmt.Errorf("stored answer: %w", err)
	}
	return &Sold{Ticket: *t, Cuts: cuts, Replayed: true}, nil
}
