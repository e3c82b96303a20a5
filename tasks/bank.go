package tasks

// BankNotify confirms a mobile payment to its payer by a message.
//
// Trigger: the outbox row of a credited payment. Repeating it is safe because the message's id is derived from the
// payment's. Queue default, 30 seconds. When every retry fails, the payer gets no message; the deposit is not
// touched.
type BankNotify struct {
	PaymentID string `json:"payment_id"`
}

// Kind names the task.
func (BankNotify) Kind() string { return "bank.notify" }

// BankRequest announces the payment of a ticket that was sold with wants_payment_info.
//
// Trigger: the ticket's receipt. Repeating it is safe because a ticket has one payment request, by a unique
// key. Queue default, 30 seconds. When every retry fails, the bank's query about the ticket is answered
// false; the customer can still pay in cash.
type BankRequest struct {
	TicketID string `json:"ticket_id"`
}

// Kind names the task.
func (BankRequest) Kind() string { return "bank.request" }

// BankExpire closes payment requests whose time is over and those of cancelled tickets.
//
// Trigger: every minute. Repeating it is safe because only open requests are closed. Queue default, 60
// seconds. When every retry fails, requests past their time are not matched in any case.
type BankExpire struct{}

// Kind names the task.
func (BankExpire) Kind() string { return "bank.expire" }

// BankTrim erases payloads and deletes events and alerts that are older than their retention.
//
// Trigger: hourly. Repeating it is safe because rows are chosen by their age. Queue scheduler, 5 minutes.
// When every retry fails, the next hour deletes more.
type BankTrim struct{}

// Kind names the task.
func (BankTrim) Kind() string { return "bank.trim" }
