// Package sales sells, reads and cancels tickets, whose rows internal/tickets owns, and owns customers.
//
// Invariants: an acknowledged sale exists exactly once, with its money, its lines and its outbox row,
// all in one Postgres transaction; a refused sale changes nothing and says why; a line carries the
// payout, rule version and commission rates it was sold under; nothing is sold at or after the stop
// of a draw, whatever the clocks of tasks did; a cancellation undoes all of a sale; the public picture of
// a ticket follows its cancellation, in whatever order the tasks of both run.
//
// Data flow: sell.go tells the whole story of a sale. quote.go checks the request against the cached
// catalogue, risk counts it in Redis, commit.go brings it to Postgres (alone, or in a
// group with others), batch.go is that transaction, receipt.go is what tasks do afterwards.
package sales
