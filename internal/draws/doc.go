// Package draws owns what happens to a draw after its sales: for now its closing.
//
// Invariants: a draw is closed at most once; closing waits for every sale that is committing (each holds
// the draw's lock shared) and no sale commits after it. The sale itself refuses from the stop on, so a
// late closing only delays the status, never sells.
//
// Data flow: the sweep (draw.close) finds draws past their stop -> exclusive lock -> status closed.
package draws
