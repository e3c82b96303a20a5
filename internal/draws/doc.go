// Package draws owns a draw's life beside its sales: opening, closing and its seal, results and their verification,
// settlement, corrections, and the suspension that refunds all sales.
//
// A draw is scheduled -> open -> closed -> resulted -> settled; suspended ends one that has no result.
//
// Invariants:
//   - A draw is closed at most once; closing waits for every sale that is committing (each holds the draw's
//     lock shared) and no sale commits after it. The sale itself refuses from the stop on, so a late closing
//     only delays the status and never sells.
//   - The seal is a hash over the tickets of the draw at its closing. A draw whose tickets no longer fit it is
//     neither settled nor corrected.
//   - A draw has at most one verified result. A typed one is verified by a second person.
//     A verified result is never changed: a correction supersedes it.
//   - A ticket is won or lost once every one of its lines is decided, and its prize is the sum of its live
//     winning lines, each of which names the result that decided it.
//   - Tickets are decided by one transaction at a time, because one ticket may have lines on many draws.
//   - A window bet is decided by the results of settled draws only.
//   - A settlement is one transaction: a process that is killed in it leaves the draw resulted, and the
//     next run does it all.
//
// Data flow: draw.close (an exact task per draw, and a sweep) -> exclusive lock -> closed and sealed -> closed in
// Redis and in the external system, each with a mark of its own. A result is typed, fetched or derived -> proposed ->
// verified -> draw.settle -> winning_lines and the tickets' states. A correction does the same in the transaction
// that verifies it, and passes wrong payments to internal/prizes.
package draws
