package volume

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/models"
)

// Shares of the tickets of a history, in percent.
const (
	cancelled = 2  // of all
	collected = 90 // of those that won
)

// collectWithin is the time in which a prize is paid, less than that in which it expires.
const (
	collectWithin = 48 * time.Hour
	expiry        = 72 * time.Hour
	cancelWindow  = 5 * time.Minute
)

// line is a bet line. prize is 0 unless it won.
type line struct {
	draw   *draw
	pick   string
	stake  money.Amount
	payout money.Amount
	prize  money.Amount
}

// ticket is a ticket with its lines and what became of it.
type ticket struct {
	models.Ticket
	lines []line
	open  bool // has a line on a draw that is on sale
}

// payment is a paid prize.
type payment struct {
	ticket          *ticket
	id, transaction uuid.UUID
	at              time.Time
}

// history holds the sales, payments and deposits of a day. Payments may be of later days.
type history struct {
	tickets      []ticket
	transactions []ledger.Transaction
	payments     []payment
	points       map[uuid.UUID]*point // by wallet
	earning      map[uuid.UUID]*earner
}

// history makes up the history of a day.
func (w *Writer) history(day businessday.Day, draws []draw, tickets int) *history {
	slices.SortFunc(draws, func(a, b draw) int { return a.at.Compare(b.at) })
	h := &history{points: w.tree.byWallet, earning: w.tree.earning}
	if len(draws) == 0 {
		return h
	}
	last := draws[len(draws)-1].at.Add(-2 * saleStop)
	if last.After(w.Now) {
		last = w.Now
	}
	times := w.times(day, last, tickets)
	h.tickets = make([]ticket, 0, len(times))
	for _, at := range times {
		h.tickets = append(h.tickets, w.ticket(at, draws))
		w.decide(h, &h.tickets[len(h.tickets)-1])
	}
	var deposits []ledger.Transaction
	if w.Profile != nil {
		deposits = w.deposits(day) // of the debts of the days before
	}
	h.addDebts()
	if w.Profile == nil {
		deposits = w.deposits(day)
	}
	h.transactions = append(h.transactions, deposits...)
	return h
}

// ticket sells one to five lines on the draws that follow.
func (w *Writer) ticket(at time.Time, draws []draw) ticket {
	p := w.pointAt(at)
	t := ticket{Ticket: models.Ticket{
		ID: w.id(at), SerialCode: sales.SerialCode(at, w.rng.IntN), ValidationCode: w.code("0123456789", 6),
		EntityID: p.entity, PathID: p.path, UserID: p.user, WalletID: p.wallet, CurrencyID: w.currency,
		Status: models.TicketPending, CancelBefore: at.Add(cancelWindow), CreatedAt: at,
	}}
	first, _ := slices.BinarySearchFunc(draws, at.Add(saleStop), func(d draw, at time.Time) int { return d.at.Compare(at) })
	for range 1 + w.rng.IntN(2*linesATicket-1) {
		d := w.drawOf(at, draws, first)
		l := line{draw: d, pick: w.pickOf(d), stake: w.stakeOn(d.game)}
		if slices.ContainsFunc(t.lines, func(o line) bool { return o.draw == l.draw && o.pick == l.pick }) {
			continue
		}
		if l.payout = d.game.payout.Of(l.stake); l.pick == d.value {
			l.prize = l.payout
		}
		t.Total, t.PotentialPrize, t.Prize = t.Total+int64(l.stake), t.PotentialPrize+int64(l.payout), t.Prize+int64(l.prize)
		if end := d.at.Add(expiry); end.After(t.ExpiresAt) {
			t.ExpiresAt = end
		}
		t.lines, t.open = append(t.lines, l), t.open || d.open
	}
	w.sold += len(t.lines)
	return t
}

// code returns random characters of an alphabet.
func (w *Writer) code(alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[w.rng.IntN(len(alphabet))]
	}
	return string(text)
}

// decide books a ticket and makes up what becomes of it: cancelled, pending, lost, paid, expired or still to be paid.
func (w *Writer) decide(h *history, t *ticket) {
	booked := w.book(t)
	h.transactions = append(h.transactions, booked...)
	if w.rng.IntN(100) < cancelled {
		at := t.CreatedAt.Add(time.Duration(1+w.rng.IntN(200)) * time.Second)
		if at.After(w.Now) {
			at = w.Now
		}
		for i := range booked {
			undo := booked[i].Reverse(t.UserID, at)
			undo.ID = w.id(at)
			h.transactions = append(h.transactions, undo)
		}
		t.Status, t.Prize, t.CancelledAt, t.CancelledBy = models.TicketCancelled, 0, &at, &t.UserID
		return
	}
	if t.open {
		t.Prize = 0
		return
	}
	settled := t.ExpiresAt.Add(saleStop - expiry)
	t.SettledAt, t.Status = &settled, models.TicketLost
	if t.Prize == 0 {
		return
	}
	t.Status = models.TicketWon
	at := settled.Add(w.collectAfter()).Truncate(time.Microsecond)
	switch {
	case w.rng.IntN(100) < w.collected() && at.Before(w.Now):
		w.pay(h, t, at)
	case t.ExpiresAt.Before(w.Now):
		expired := t.ExpiresAt.Add(saleStop)
		t.ExpiredAt = &expired
	}
}

func (w *Writer) pay(h *history, t *ticket, at time.Time) {
	t.Status = models.TicketPaid
	p := payment{ticket: t, id: w.id(at), transaction: w.id(at), at: at}
	h.payments = append(h.payments, p)
	amount := money.Amount(t.Prize)
	h.transactions = append(h.transactions, ledger.Transaction{
		ID: p.transaction, Type: models.TransactionPrize, EntityID: t.EntityID, CurrencyID: w.currency, Amount: amount,
		TicketID: t.ID, UserID: t.UserID, At: at,
		Postings: []ledger.Posting{{WalletID: t.WalletID, Amount: amount}, {WalletID: w.tree.root, Amount: -amount}},
	})
}

// book returns the bookings of a sale, as the sale path makes them.
func (w *Writer) book(t *ticket) []ledger.Transaction {
	total := money.Amount(t.Total)
	sale := ledger.Transaction{
		ID: ledger.SaleID(t.ID), Type: models.TransactionSale, EntityID: t.EntityID, CurrencyID: w.currency,
		Amount: total, TicketID: t.ID, UserID: t.UserID, At: t.CreatedAt,
		Postings: []ledger.Posting{{WalletID: t.WalletID, Amount: -total}, {WalletID: w.tree.root, Amount: total}},
	}
	commission := sale
	commission.ID, commission.Type, commission.Amount, commission.Postings = ledger.CommissionID(t.ID), models.TransactionCommission, 0, nil
	margins := make([]money.Amount, len(rates()))
	for i := range t.lines {
		for level, part := range money.SplitByMargins(t.lines[i].stake, rates()) {
			margins[level] += part
		}
	}
	for level, wallet := range append(slices.Clone(w.tree.byWallet[t.WalletID].above), t.WalletID) {
		commission.Amount += margins[level]
		commission.Postings = append(commission.Postings, ledger.Posting{WalletID: wallet, Amount: margins[level]})
	}
	commission.Postings = append(commission.Postings, ledger.Posting{WalletID: w.tree.root, Amount: -commission.Amount})
	return []ledger.Transaction{sale, commission}
}

// addDebts adds what the day posts on the wallets of ticket points to what they owe, and on those of earners to what they earn.
func (h *history) addDebts() {
	for i := range h.transactions {
		for _, p := range h.transactions[i].Postings {
			if debtor := h.points[p.WalletID]; debtor != nil {
				debtor.debt -= p.Amount
			}
			if e := h.earning[p.WalletID]; e != nil {
				e.earned += p.Amount
			}
		}
	}
}

// deposits returns the deposits of what ticket points owe. Those of a profile that are in credit withdraw it, as the entities above
// withdraw what they earned.
func (w *Writer) deposits(day businessday.Day) (list []ledger.Transaction) {
	for i := range w.tree.points {
		p := &w.tree.points[i]
		at, sum := w.depositTime(day), w.depositOf(day, p)
		if at.IsZero() || !at.Before(w.Now) || sum == 0 {
			continue
		}
		list = append(list, w.movement(at, p.entity, p.wallet, sum))
		p.debt -= sum
	}
	for _, e := range w.tree.earners {
		at := w.depositTime(day)
		if at.IsZero() || !at.Before(w.Now) || e.earned <= 0 || e.owes && w.recent(day) {
			continue
		}
		list = append(list, w.movement(at, e.entity, e.wallet, -e.earned))
		e.earned = 0
	}
	return list
}

// movement returns a deposit on a wallet, or a withdrawal for a negative sum.
func (w *Writer) movement(at time.Time, entity, wallet uuid.UUID, sum money.Amount) ledger.Transaction {
	kind, amount := models.TransactionDeposit, sum
	if sum < 0 {
		kind, amount = models.TransactionWithdrawal, -sum
	}
	return ledger.Transaction{
		ID: w.id(at), Type: kind, EntityID: entity, CurrencyID: w.currency, Amount: amount, Reference: "cuadre", At: at,
		Postings: []ledger.Posting{{WalletID: wallet, Amount: sum}, {WalletID: w.tree.external, Amount: -sum}},
	}
}

// copy inserts the history.
func (h *history) copy(ctx context.Context, tx pgx.Tx) error {
	for _, step := range []func(context.Context, pgx.Tx) error{h.copyTickets, h.copyLines, h.copyWinners, h.copyTransactions, h.copyPostings, h.copyPayments} {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
