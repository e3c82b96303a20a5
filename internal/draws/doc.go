// Package draws opens, closes and seals draws, verifies and corrects their results, settles them, and suspends them,
// which refunds all their sales.
//
// The states of a draw are scheduled -> open -> closed -> resulted -> settled. A draw without a result may become
// suspended instead.
//
// Invariants:
//   - A draw is closed at most once. Closing waits for every sale that is committing (each holds the draw's
//     lock shared), and no sale commits after it. Sales are refused from the sale stop on, so a late closing
//     only delays the status.
//   - The seal is a hash over the tickets of the draw at its closing. A draw whose tickets do not match its seal
//     is neither settled nor corrected.
//   - A draw has at most one verified result. A typed one is verified by a second person.
//     A verified result is never changed: a correction supersedes it.
//   - A ticket is won or lost once every one of its lines is decided. Its prize is the sum of its winning lines
//     that are not annulled, each of which names the result that decided it.
//   - Tickets are decided by one transaction at a time, because one ticket may have lines on many draws.
//   - A window bet is decided by the results of settled draws only.
//   - A settlement is one transaction: if the process is killed in it, the draw stays resulted, and the next run
//     settles it.
//
// Data flow: draw.close (one task per draw at its sale stop, and a sweep) -> exclusive lock -> closed and sealed ->
// closed in Redis and in the external system, each recorded in its own column. A result is typed, fetched or derived ->
// proposed -> verified -> draw.settle -> winning_lines and the tickets' states. A correction does the same in the
// transaction that verifies it, and passes prizes that were paid wrongly to internal/prizes.
package draws
