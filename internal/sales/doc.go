// Package sales sells, reads and cancels tickets, whose rows internal/tickets owns.
//
// Invariants: an acknowledged sale exists exactly once, with its money, its lines and its outbox row, all in one
// Postgres transaction; a refused sale changes nothing and says why; a line carries the payout, rule version and
// commission rates it was sold under; nothing is sold at or after the stop of a draw, whether or not its closing task
// has run; a cancellation reverses all of a sale; the public picture of a cancelled ticket shows the cancellation,
// in whatever order the tasks of the sale and of the cancellation run.
//
// Data flow: sell.go is the sale from top to bottom. quote.go checks the request against the cached catalogue, risk
// counts it in Redis, commit.go adds it to a group commit, batch.go is the transaction of a group, receipt.go is the
// task that follows.
package sales
