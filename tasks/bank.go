package tasks

import (
	"time"

	"github.com/google/uuid"
)

// bankKinds lists the kinds of this file.
func bankKinds() []entry {
	return []entry{of[BankNotify](), of[BankRequest](), of[BankClaim](), of[BankExpire](), of[BankTrim]()}
}

// BankNotify confirms a mobile payment to its payer by a message.
//
// Trigger: the outbox row of a credited payment. Repeating it is safe because the message's id is derived from the
// payment's. When every retry fails, the payer gets no message; the deposit is not touched.
type BankNotify struct {
	PaymentID uuid.UUID `json:"payment_id"`
}

// Spec implements Args.
func (BankNotify) Spec() Spec {
	return Spec{
		Kind: "bank.notify", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 30 * time.Second, MaxDelay: 5 * time.Minute,
	}
}

// BankRequest announces the payment of a ticket that was sold with wants_payment_info.
//
// Trigger: the ticket's receipt. Repeating it is safe because a ticket has one payment request, by a unique key. When
// every retry fails, the bank's query about the ticket is answered false; the customer can still pay in cash.
type BankRequest struct {
	TicketID uuid.UUID `json:"ticket_id"`
}

// Spec implements Args.
func (BankRequest) Spec() Spec {
	return Spec{
		Kind: "bank.request", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 30 * time.Second, MaxDelay: time.Minute,
	}
}

// BankClaim books the payments in the suspense wallet that have paid a ticket to the wallet of the ticket.
//
// Trigger: the sale. Repeating it is safe because a payment leaves the suspense wallet once, under the lock of its row. When every retry
// fails, the payments stay in the suspense wallet, where no other ticket and no operator can take them, and bank.expire tries every minute.
type BankClaim struct {
	TicketID uuid.UUID `json:"ticket_id"`
}

// Spec implements Args.
func (BankClaim) Spec() Spec {
	return Spec{
		Kind: "bank.claim", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 30 * time.Second, MaxDelay: time.Minute,
	}
}

// BankExpire closes expired payment requests and the requests of cancelled tickets, and does the work of each bank.claim that has failed.
//
// Trigger: every minute. Repeating it is safe because only open requests are closed, and as of BankClaim. When every retry fails, requests
// past their time are not matched in any case, and the next minute claims.
type BankExpire struct{}

// Spec implements Args.
func (BankExpire) Spec() Spec {
	return Spec{
		Kind: "bank.expire", Queue: QueueDefault, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Every: "@every 1m",
	}
}

// BankTrim erases payloads and deletes events and alerts that are older than their retention.
//
// Trigger: hourly. Repeating it is safe because rows are chosen by their age. When every retry fails, the next hour
// deletes more.
type BankTrim struct{}

// Spec implements Args.
func (BankTrim) Spec() Spec {
	return Spec{
		Kind: "bank.trim", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "0 20 * * * *",
	}
}
