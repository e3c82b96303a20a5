package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/telemetry"
	"banca/internal/risk"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Sell sells a ticket.
//
// Sell checks the request line by line against the catalogue, reserves it under every limit, commits the ticket, its
// lines, its postings and the task that prints it in one Postgres transaction, and confirms the reservation. A failure
// before the commit releases the reservation and changes nothing. A repeat of an idempotency key gets the first answer.
//
// Errors: ErrInvalidTicket and the other errors of an invalid request, risk.ErrLimitExceeded, risk.ErrUnavailable,
// ledger.ErrInsufficientBalance, ErrBusy, apperr.ErrStore, and errors of idempotency. A request with a key gets
// idempotency.ErrUnknownOutcome in place of a refusal or an outage while its key cannot be read.
func (s *Service) Sell(ctx context.Context, by caller.Caller, req *SellRequest) (sold *Sold, err error) {
	defer func() { telemetry.SalesTotal.Add(1, outcomeName(sold, err)) }()
	key, err := idempotency.KeyOf(req.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	r, use := requestOf(req), idempotency.Use{Key: key}
	if key != uuid.Nil {
		currency, err := s.canonicalCurrency(ctx, req.Currency)
		if err != nil {
			return nil, idempotency.ErrUnknownOutcome.WithCause(err)
		}
		paid, err := s.paidAs(ctx, r, currency)
		if err != nil {
			return nil, idempotency.ErrUnknownOutcome.WithCause(err)
		}
		use.Meaning = r.meaning(currency, paid...)
	}
	defer s.keys.Lock(key)()
	defer s.group.Arrive()()

	sold, err = s.sellOnce(ctx, by, r, use, false)
	switch {
	case errors.Is(err, errRecounted): // the counts were rebuilt after the reservation: reserve once more
		sold, err = s.sellOnce(ctx, by, r, use, true)
	case errors.Is(err, ErrStaleRules): // another process changed the rules: quote again with the new ones
		s.Catalog.Forget()
		sold, err = s.sellOnce(ctx, by, r, use, false)
	case errors.Is(err, ErrDrawsStopped):
		err = s.nameStoppedDraws(ctx, by, r, err)
	}
	if err != nil && key != uuid.Nil {
		return s.repeatOf(ctx, r, use, err)
	}
	return sold, err
}

// outcomeName names the end of a request to sell in the metrics.
func outcomeName(sold *Sold, err error) string {
	if err == nil {
		if sold.Replayed {
			return "repeated"
		}
		return "sold"
	}
	switch apperr.From(err).Kind {
	case apperr.Unavailable, apperr.Internal:
		return "failed"
	default:
		return "refused"
	}
}

// sellOnce makes one attempt. With recheck, the risk engine first compares its counts with Postgres.
func (s *Service) sellOnce(
	ctx context.Context, by caller.Caller, r *request, use idempotency.Use, recheck bool,
) (*Sold, error) {
	committing := ctx
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	quoting, stage := telemetry.Sales.Begin(ctx, "quote")
	q, err := s.quote(quoting, by, r)
	stage.End(err)
	if err != nil {
		return nil, ledger.Refusal(err)
	}
	identity := s.Identify(q.now)
	reserve := q.riskRequest(identity.ID, r.AcceptPartial)
	reserve.Recheck, reserve.Key = recheck, use.Key
	reserving, stage := telemetry.Sales.Begin(ctx, "reserve")
	reservation, err := s.Risk.Reserve(reserving, reserve)
	stage.End(err)
	if err != nil {
		return nil, err
	}
	cuts := q.cut(reservation)
	q.setRates()
	p, err := s.prepare(ctx, by, r, q, &identity, reservation, cuts)
	if err != nil {
		s.releaseReservations(ctx, reservation)
		return nil, err
	}
	p.use = use

	committing, stage = telemetry.Sales.Begin(committing, "commit")
	out := s.commit(committing, p)
	stage.End(out.err)
	if out.err != nil {
		return nil, out.err
	}
	if out.repeat != nil {
		return s.replay(committing, out.repeat)
	}
	return &Sold{Ticket: p.view(), Cuts: cuts}, nil
}

// nameStoppedDraws quotes a sale again that the transaction refused because a draw has stopped: it returns the error
// of the quote, which names the lines on stopped draws. The first quote used a cached catalogue without the stop.
func (s *Service) nameStoppedDraws(ctx context.Context, by caller.Caller, r *request, refusal error) error {
	for _, draw := range r.draws {
		s.Catalog.ForgetDraws(draw.UUID)
	}
	if _, err := s.quote(ctx, by, r); errors.Is(err, ErrInvalidTicket) {
		return err
	}
	return refusal
}

// prepare turns a quote with its reservation into the rows and postings to commit.
func (s *Service) prepare(
	ctx context.Context, by caller.Caller, r *request, q *quote, identity *Identity, res *risk.Reservation, cuts []Cut,
) (*pendingSale, error) {
	entities := make([]uuid.UUID, len(q.chain))
	for i := range q.chain {
		entities[i] = q.chain[i].ID
	}
	wallets, err := s.Ledger.MainWallets(ctx, q.currency.ID, entities...)
	if err != nil {
		return nil, apperr.ErrStore.WithCause(err)
	}
	p := &pendingSale{quote: q, reservation: res, cuts: cuts, wallet: wallets[len(wallets)-1]}
	if q.customerID != uuid.Nil || q.customer != nil || q.chain.PictureAtSale() {
		row, err := outbox.NewRow(tasks.ReceiptRender{TicketID: identity.ID}, outbox.TracedBy(ctx))
		if err != nil {
			return nil, fmt.Errorf("receipt task: %w", err)
		}
		p.outbox = []outbox.Row{row}
	}
	p.ticket = models.Ticket{
		ID: identity.ID, SerialCode: identity.SerialCode, ValidationCode: identity.ValidationCode,
		EntityID: q.chain.Self().ID, PathID: q.chain.Self().PathID, UserID: by.UserID, WalletID: p.wallet,
		CurrencyID: q.currency.ID,
		Status:     models.TicketPending, WantsPaymentInfo: r.WantsPaymentInfo,
		CancelBefore: q.cancelBefore, ExpiresAt: q.expiresAt, CreatedAt: q.now,
	}
	if q.customerID != uuid.Nil {
		p.ticket.CustomerID = &q.customerID
	}
	for i := range q.lines {
		p.ticket.Total += int64(q.lines[i].Amount)
		p.ticket.PotentialPrize += int64(q.lines[i].PotentialPrize)
	}
	if err := q.settle(money.Amount(p.ticket.Total), len(cuts) > 0); err != nil {
		return nil, err
	}
	claims, err := p.claims(ctx)
	if err != nil {
		return nil, err
	}
	p.outbox, p.money = append(p.outbox, claims...), saleTransactions(p, wallets)
	return p, nil
}

// saleTransactions returns the bookings of a sale. The ticket point keeps the buyer's cash, so its wallet is debited
// and the operator's is credited. The operator's wallet pays each level's commission.
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
			commission.Postings = append(
				commission.Postings, ledger.Posting{WalletID: wallets[level+1], Amount: amount},
			)
		}
	}
	if commission.Amount == 0 {
		return []ledger.Transaction{sale}
	}
	commission.Postings = append(commission.Postings, ledger.Posting{WalletID: root, Amount: -commission.Amount})
	return []ledger.Transaction{sale, commission}
}

// repeatOf returns the stored answer if an equal request succeeded before the refused one, and the refusal if none did.
// The outcome is unknown while another process may still commit an equal request, and while Redis or Postgres does not
// tell. Reservations are read first: one that is gone is committed or taken back.
func (s *Service) repeatOf(ctx context.Context, r *request, use idempotency.Use, refusal error) (*Sold, error) {
	// A caller outside the entity's scope sees no stored answer. For an unknown outcome, Postgres was already asked.
	for _, final := range []error{idempotency.ErrKeyReused, org.ErrEntityNotFound, idempotency.ErrUnknownOutcome} {
		if errors.Is(refusal, final) {
			return nil, refusal
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	held, unread := s.Risk.Holds(ctx, use.Key, r.drawIDs())
	first, found, err := use.Find(ctx, s.PG.Pool)
	switch {
	case err != nil: // the key belongs to another request, or the outcome is unknown
		return nil, err
	case found:
		return s.replay(ctx, first)
	case held || unread != nil && !passes(refusal):
		return nil, idempotency.ErrUnknownOutcome.WithCause(errors.Join(refusal, unread))
	}
	return nil, refusal
}

// passes reports whether a refusal is an outage, after which clients repeat with the same key.
func passes(refusal error) bool { return apperr.From(refusal).Kind == apperr.Unavailable }

// replay returns the answer of the first request: the ticket as it was when it was sold.
func (s *Service) replay(ctx context.Context, first *idempotency.Answer) (*Sold, error) {
	t, err := s.load(ctx, first.TicketID)
	if err != nil {
		return nil, idempotency.Unread(ledger.Refusal(err))
	}
	t.Status, t.ImageURL, t.CancelledAt, t.Prize = models.TicketPending, "", time.Time{}, 0
	cuts, err := decodeCuts(first.Response)
	if err != nil {
		return nil, fmt.Errorf("stored answer: %w", err)
	}
	return &Sold{Ticket: *t, Cuts: cuts, Replayed: true}, nil
}
