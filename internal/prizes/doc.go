// Package prizes owns payments of prizes, their reversal, and the differences that a correction of a result leaves.
//
// Invariants: a ticket has at most one payment that is not reversed, and that payment is one ledger transaction. A
// payment whose amount is no longer the ticket's prize has an open difference: an overpaid amount is a receivable, an
// underpaid one is owed to the customer.
package prizes
