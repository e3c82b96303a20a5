// Package risk owns the limits on sales and their live counts in Redis.
//
// A limit belongs to an entity and bounds the sales of its subtree on one selection of one draw, as stake or as
// liability (stake times payout), fixed or sliding with the draw's sales. Within a level the most specific row
// counts; every level on the way to the root must pass; 0 blocks.
//
// Invariants: a sale is counted at every level or at none (one Lua call per draw); nothing is sold on counts that
// may be wrong (fail-safe); after a sweep the counts equal the tickets in Postgres that were sold and not
// cancelled.
//
// Data flow of a sale: Reserve counts the ticket and leaves a reservation under the ticket's id -> the ticket is
// committed in Postgres under a shared lock of the draw, with the epoch of the reservation checked again -> Confirm
// removes the reservation, or Release takes the counts back. Sweep completes what a crash left, by asking Postgres.
// Redis detects lost counts: the script carries the run of the server that loaded it, its run id and its time as a
// master. A server that restarted or took over does not have the script, and the new one finds no counts of its own
// run; Rebuild recomputes them. In a cluster each master has its run, and the two keys of a draw are on one of them.
package risk
