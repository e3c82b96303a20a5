package bank

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
	"banca/tasks/outbox"
)

// Reasons why a payment fits no request.
const (
	ReasonNoRequest       = "no_request"
	ReasonSeveral         = "several_requests"
	ReasonAmountDiffers   = "amount_differs"
	ReasonUnknownBank     = "unknown_bank"
	ReasonRetiredBank     = "retired_bank"
	ReasonMerchantUnknown = "merchant_unknown"
	ReasonConflict        = "amount_conflict"
)

// Reasons returns all reasons.
func Reasons() []string {
	return []string{ReasonNoRequest, ReasonSeveral, ReasonAmountDiffers, ReasonUnknownBank, ReasonRetiredBank, ReasonMerchantUnknown, ReasonConflict}
}

// decision is the rows to write for a notification.
type decision struct {
	repeatOf *known   // the equal payment that was answered before; nil if none
	leader   *pending // the notification of the batch on which this decision depends; nil if none
	again    bool     // a concurrent change invalidated the decision: decide again

	id       uuid.UUID // of the payment; Nil if none is written
	state    string
	reason   string
	conflict uuid.UUID // the payment whose key was taken
	request  *candidate
	money    []ledger.Transaction
	task     outbox.Row
	alert    string
	subject  uuid.UUID // the payment that the alert is about
}

// known is a payment that was answered before, in this batch or an earlier one.
type known struct {
	id       uuid.UUID
	amount   money.Amount
	answer   bool
	state    string
	event    uuid.UUID
	received time.Time
	phone    string
	dated    bool // FechaHora was given
	leader   *pending
}

// candidate is a live request that a payment may be for. Its tier says how it was found, in the order of precedence:
// by reference and bank, by telephone and amount, by amount among the requests held for the bank.
type candidate struct {
	tier   int
	id     uuid.UUID
	entity uuid.UUID
	wallet uuid.UUID
	amount money.Amount
}

// The tiers of the contract.
const (
	tierReference = 1
	tierPhone     = 2
	tierHeld      = 3
)

// choose returns the request that fits, or the reason why none does. Only the first tier with candidates counts. If it
// has several candidates, none fits, because a wrong choice would credit the wrong wallet.
func choose(found []candidate, amount money.Amount) (*candidate, string) {
	for _, tier := range [...]int{tierReference, tierPhone, tierHeld} {
		var fits []*candidate
		for i := range found {
			if found[i].tier == tier {
				fits = append(fits, &found[i])
			}
		}
		switch {
		case len(fits) > 1:
			return nil, ReasonSeveral
		case len(fits) == 1 && fits[0].amount != amount:
			return nil, ReasonAmountDiffers
		case len(fits) == 1:
			return fits[0], ""
		}
	}
	return nil, ReasonNoRequest
}

// facts is what Postgres holds about a batch, read under the locks of its keys. The notifications are decided by it.
type facts struct {
	known      map[uuid.UUID]*known
	candidates map[int][]candidate // by position in the batch
	claimed    map[uuid.UUID]bool  // requests that an earlier notification of the batch is for
}

// decide determines the rows to write for the notification at position at. It adds the decision to f, so that later
// notifications of the batch see it.
func (s *Service) decide(f *facts, at int, p *pending, now time.Time) error {
	p.decision = decision{}
	p.e.checks, p.e.payment, p.e.request = p.e.checks[:p.checks], uuid.Nil, uuid.Nil
	equal, sameKey := f.findEqual(p), f.known[p.key]
	if p.n.networkCode != Approved {
		p.markNotApproved(cmp.Or(sameKey, equal))
		return nil
	}
	p.e.pass(CheckApproved)
	if equal != nil {
		p.markRepeat(equal)
		return nil
	}
	if sameKey != nil {
		p.markConflict(conflictKey(p.key, p.n.amount.Format(AmountDigits)), sameKey)
		f.addKnown(p, now)
		return nil
	}
	p.e.pass(CheckKey)
	p.id = p.key
	if err := s.match(f, at, p, now); err != nil || p.again {
		return err
	}
	f.addKnown(p, now)
	return nil
}

// findEqual returns the known payment that a notification repeats, or nil. Without FechaHora the key depends on the date of
// receipt, so an equal notification that arrived shortly before midnight counts, too.
func (f *facts) findEqual(p *pending) *known {
	for _, id := range p.keys() {
		if k := f.known[id]; k != nil && k.amount == p.n.amount {
			return k
		}
	}
	for _, id := range p.keysBefore() {
		if k := f.known[id]; k != nil && k.amount == p.n.amount && !k.dated && k.phone == p.n.senderPhone && p.e.at.Sub(k.received) <= lateRepeat {
			return k
		}
	}
	return nil
}

// markNotApproved decides a notification that is not approved. The key stays unused, because an approved notification
// with code 00 may follow. If the same payment was credited before, markNotApproved adds an alert.
func (p *pending) markNotApproved(before *known) {
	p.e.failBusiness(CheckApproved, p.n.networkCode)
	p.e.outcome = OutcomeNotApproved
	if before != nil && slices.Contains([]string{models.PaymentCredited, models.PaymentSuspense, models.PaymentAssigned}, before.state) {
		p.alert, p.subject, p.leader = alerts.RejectedAfterCredit, before.id, before.leader
		p.e.payment = before.id
	}
}

// markRepeat decides that a notification repeats k and gets its stored answer.
func (p *pending) markRepeat(k *known) {
	p.repeatOf, p.leader = k, k.leader
}

// markConflict decides a payment whose key is known with another amount.
func (p *pending) markConflict(id uuid.UUID, before *known) {
	p.id, p.state, p.reason, p.conflict, p.leader = id, models.PaymentConflict, ReasonConflict, before.id, before.leader
	p.alert, p.subject = alerts.AmountConflict, before.id
	p.e.failBusiness(CheckKey, ReasonConflict)
	p.e.outcome, p.e.payment = OutcomeConflict, id
}

// match finds the request that the payment is for and prepares its deposit.
func (s *Service) match(f *facts, at int, p *pending, now time.Time) error {
	p.e.payment = p.id
	if reason := p.rejectReason(); reason != "" {
		p.markUnmatched(reason)
		return nil
	}
	request, reason := choose(f.candidates[at], p.n.amount)
	switch {
	case request == nil && s.Options.Unmatched == UnmatchedAccept:
		p.e.failBusiness(CheckRequest, reason)
		p.e.outcome, p.state, p.reason = OutcomeSuspense, models.PaymentSuspense, reason
		p.money = []ledger.Transaction{p.deposit(p.directory.root, p.directory.suspense, now)}
		return nil
	case request == nil:
		p.e.failBusiness(CheckRequest, reason)
		p.markUnmatched(reason)
		return nil
	case f.claimed[request.id]: // by an earlier notification of the batch: decide again, in a batch of its own
		p.again = true
		return nil
	}
	f.claimed[request.id] = true
	return p.credit(request, now)
}

// rejectReason returns the reason why a payment cannot be for any request, or "".
func (p *pending) rejectReason() string {
	active, known := p.directory.banks[p.n.bank]
	switch {
	case !known:
		p.e.failBusiness(CheckBank, ReasonUnknownBank)
		return ReasonUnknownBank
	case !active:
		p.e.failBusiness(CheckBank, ReasonRetiredBank)
		return ReasonRetiredBank
	}
	p.e.pass(CheckBank)
	if p.n.merchantPhone == "" {
		return ""
	}
	if !p.directory.hasMerchantPhone(p.n.merchantPhone) {
		p.e.failBusiness(CheckMerchant, ReasonMerchantUnknown)
		return ReasonMerchantUnknown
	}
	p.e.pass(CheckMerchant)
	return ""
}

func (p *pending) markUnmatched(reason string) {
	p.e.outcome, p.state, p.reason = OutcomeUnmatched, models.PaymentUnmatched, reason
}

// credit prepares the deposit to the request's wallet and the task that notifies the payer.
func (p *pending) credit(request *candidate, now time.Time) (err error) {
	p.e.pass(CheckRequest)
	p.e.outcome, p.e.request = OutcomeCredited, request.id
	p.state, p.request = models.PaymentCredited, request
	p.money = []ledger.Transaction{p.deposit(request.entity, request.wallet, now)}
	p.task, err = notifyTask(p.id)
	return err
}

// deposit returns the transaction from the wallet of the operator's bank account to a wallet.
func (p *pending) deposit(entity, wallet uuid.UUID, now time.Time) ledger.Transaction {
	return ledger.Transaction{
		ID: uuid.Must(uuid.NewV7()), Type: models.TransactionDeposit, EntityID: entity, CurrencyID: p.directory.currency.ID,
		Amount: p.n.amount, Reference: p.n.bank + "/" + p.n.reference, At: now,
		Postings: []ledger.Posting{{WalletID: wallet, Amount: p.n.amount}, {WalletID: p.directory.external, Amount: -p.n.amount}},
	}
}

// answersTrue reports whether the answer to the bank is true.
func (d *decision) answersTrue() bool {
	if d.repeatOf != nil {
		return d.repeatOf.answer
	}
	return d.state == models.PaymentCredited || d.state == models.PaymentSuspense
}

// addKnown adds a decided payment, for the later notifications of the batch.
func (f *facts) addKnown(p *pending, now time.Time) {
	f.known[p.id] = &known{
		id: p.id, amount: p.n.amount, answer: p.answersTrue(), state: p.state, event: p.e.identify(), received: now,
		phone: p.n.senderPhone, dated: !p.n.instant.IsZero(), leader: p,
	}
}
