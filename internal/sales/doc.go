// Package sales sells, reads and cancels tickets, whose rows internal/tickets owns, and owns customers.
//
// Invariants: an acknowledged sale exists exactly once, with its money, its lines and its outbox row, all in one
// Postgres transaction; a refused sale changes nothing and says why; a line carries the payout, rule version and
// commission rates it was sold under; nothing is sold at or after the stop of a draw, whether or not its closing task
// has run; a cancellation reverses all of a sale; the public picture of a ticket follows its cancellation, in
// whatever order the tasks of both run.
//
// Data flow: sell.go is the sale from top to bottom. quote.go checks the request against the cached catalogue, risk
// counts it in Redis, commit.go brings it to Postgres (alone, or in a group with others), batch.go is that
// transaction, receipt.go is the task that follows.
package sales
