package bank

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/money"
	"banca/models"
	"banca/tasks/outbox"
)

// Why a payment fits no request.
const (
	ReasonNoRequest       = "no_request"
	ReasonSeveral         = "several_requests"
	ReasonAmountDiffers   = "amount_differs"
	ReasonUnknownBank     = "unknown_bank"
	ReasonRetiredBank     = "retired_bank"
	ReasonMerchantUnknown = "merchant_unknown"
	ReasonConflict        = "amount_conflict"
)

// Reasons lists them.
func Reasons() []string {
	return []string{ReasonNoRequest, ReasonSeveral, ReasonAmountDiffers, ReasonUnknownBank, ReasonRetiredBank, ReasonMerchantUnknown, ReasonConflict}
}

// decision is the rows to write for a notification.
type decision struct {
	repeatOf *known // an equal one was answered before
	leader   *pending
	again    bool // a concurrent change invalidated the decision: decide again

	id       uuid.UUID // of the payment; Nil where none is written
	state    string
	reason   string
	conflict uuid.UUID // the payment whose key was taken
	request  *candidate
	money    []ledger.Transaction
	task     outbox.Row
	alert    string
	subject  uuid.UUID
}

// known is a payment that was answered before, in this transaction's batch or an earlier one.
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

// candidate is a live request that a payment may be meant for. The tier is how it was found, the closest first: by
// reference and bank, by telephone and amount, by amount among those held.
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

// choose returns the one request that fits, or the reason why none does. The first tier with candidates decides;
// several candidates of a tier fit none, because a wrong guess gives money away.
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

// facts are the data that a batch is decided by, read under the locks of its keys.
type facts struct {
	known      map[uuid.UUID]*known
	candidates map[int][]candidate // by position in the batch
	claimed    map[uuid.UUID]bool  // requests that an earlier notification of the batch takes
}

// decide determines the rows of a notification; later notifications of the batch see the decision.
func (s *Service) decide(f *facts, at int, p *pending, now time.Time) error {
	p.decision = decision{}
	p.e.checks, p.e.payment, p.e.request = p.e.checks[:p.checks], uuid.Nil, uuid.Nil
	before := f.find(p)
	if p.n.networkCode != Approved {
		p.notApproved(before)
		return nil
	}
	p.e.pass(CheckApproved)
	if before != nil && before.amount == p.n.amount {
		p.repeat(before)
		return nil
	}
	if before != nil {
		id := conflictKey(p.key, p.n.amount.Format(AmountDigits))
		if same := f.known[id]; same != nil {
			p.repeat(same)
			return nil
		}
		p.contradict(id, before)
		f.remember(p, now)
		return nil
	}
	p.e.pass(CheckKey)
	p.id = p.key
	if err := s.match(f, at, p, now); err != nil || p.again {
		return err
	}
	f.remember(p, now)
	return nil
}

// find returns the payment that is known under this notification's key. Without FechaHora the key changes at
// midnight; an equal notification that arrived shortly before is the same one.
func (f *facts) find(p *pending) *known {
	if k := f.known[p.key]; k != nil {
		return k
	}
	if !p.n.instant.IsZero() {
		return nil
	}
	k := f.known[paymentKey(p.n.bank, p.n.reference, p.date.AddDays(-1))]
	if k == nil || k.dated || k.amount != p.n.amount || k.phone != p.n.senderPhone || p.e.at.Sub(k.received) > lateRepeat {
		return nil
	}
	return k
}

// notApproved answers a payment that was not approved. It does not use up the key: 51 may be followed by 00. If the
// same payment was credited before, the two contradict each other, and an alert is filed.
func (p *pending) notApproved(before *known) {
	p.e.miss(CheckApproved, p.n.networkCode)
	p.e.outcome = OutcomeNotApproved
	if before != nil && slices.Contains([]string{models.PaymentCredited, models.PaymentSuspense, models.PaymentAssigned}, before.state) {
		p.alert, p.subject, p.leader = AlertRejectedAfterCredit, before.id, before.leader
		p.e.payment = before.id
	}
}

// repeat returns the stored answer.
func (p *pending) repeat(k *known) {
	p.repeatOf, p.leader = k, k.leader
}

// contradict answers a payment whose key is known with another amount.
func (p *pending) contradict(id uuid.UUID, before *known) {
	p.id, p.state, p.reason, p.conflict, p.leader = id, models.PaymentConflict, ReasonConflict, before.id, before.leader
	p.alert, p.subject = AlertConflict, before.id
	p.e.miss(CheckKey, ReasonConflict)
	p.e.outcome, p.e.payment = OutcomeConflict, id
}

// match finds the request that the payment is for and prepares its deposit.
func (s *Service) match(f *facts, at int, p *pending, now time.Time) error {
	p.e.payment = p.id
	if reason := p.unacceptable(); reason != "" {
		p.unmatched(reason)
		return nil
	}
	request, reason := choose(f.candidates[at], p.n.amount)
	switch {
	case request == nil && s.Options.Unmatched == UnmatchedAccept:
		p.e.miss(CheckRequest, reason)
		p.e.outcome, p.state, p.reason = OutcomeSuspense, models.PaymentSuspense, reason
		p.money = []ledger.Transaction{p.deposit(p.directory.root, p.directory.suspense, now)}
		return nil
	case request == nil:
		p.e.miss(CheckRequest, reason)
		p.unmatched(reason)
		return nil
	case f.claimed[request.id]: // by an earlier notification of the batch: decided again, alone
		p.again = true
		return nil
	}
	f.claimed[request.id] = true
	return p.credit(request, now)
}

// unacceptable returns why a payment cannot be accepted for any request, or "".
func (p *pending) unacceptable() string {
	active, known := p.directory.banks[p.n.bank]
	switch {
	case !known:
		p.e.miss(CheckBank, ReasonUnknownBank)
		return ReasonUnknownBank
	case !active:
		p.e.miss(CheckBank, ReasonRetiredBank)
		return ReasonRetiredBank
	}
	p.e.pass(CheckBank)
	if p.n.merchantPhone == "" {
		return ""
	}
	if !p.directory.ours(p.n.merchantPhone) {
		p.e.miss(CheckMerchant, ReasonMerchantUnknown)
		return ReasonMerchantUnknown
	}
	p.e.pass(CheckMerchant)
	return ""
}

func (p *pending) unmatched(reason string) {
	p.e.outcome, p.state, p.reason = OutcomeUnmatched, models.PaymentUnmatched, reason
}

// credit prepares the deposit into the request's wallet.
func (p *pending) credit(request *candidate, now time.Time) (err error) {
	p.e.pass(CheckRequest)
	p.e.outcome, p.e.request = OutcomeCredited, request.id
	p.state, p.request = models.PaymentCredited, request
	p.money = []ledger.Transaction{p.deposit(request.entity, request.wallet, now)}
	p.task, err = notifyTask(p.id)
	return err
}

// deposit moves the payment from the operator's account at the bank to a wallet.
func (p *pending) deposit(entity, wallet uuid.UUID, now time.Time) ledger.Transaction {
	return ledger.Transaction{
		ID: uuid.Must(uuid.NewV7()), Type: models.TransactionDeposit, EntityID: entity, CurrencyID: p.directory.currency.ID,
		Amount: p.n.amount, Reference: p.n.bank + "/" + p.n.reference, At: now,
		Postings: []ledger.Posting{{WalletID: wallet, Amount: p.n.amount}, {WalletID: p.directory.external, Amount: -p.n.amount}},
	}
}

// positive reports whether the bank is answered true.
func (d *decision) positive() bool {
	if d.repeatOf != nil {
		return d.repeatOf.answer
	}
	return d.state == models.PaymentCredited || d.state == models.PaymentSuspense
}

// remember makes a decision known to the rest of the batch.
func (f *facts) remember(p *pending, now time.Time) {
	f.known[p.id] = &known{
		id: p.id, amount: p.n.amount, answer: p.positive(), state: p.state, event: p.e.identify(), received: now,
		phone: p.n.senderPhone, dated: !p.n.instant.IsZero(), leader: p,
	}
}
