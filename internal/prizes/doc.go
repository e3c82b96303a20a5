// Package prizes owns what is paid out: paid prizes, taking a payment back, and the differences that a
// correction of a result leaves behind.
//
// Invariants: a ticket has at most one payment that was not taken back, and that payment is one ledger
// transaction. A payment whose amount is not the ticket's prize any more has an open difference: paid more
// than due is a receivable, less is owed to the customer.
package prizes
