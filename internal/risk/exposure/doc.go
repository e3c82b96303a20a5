// Package exposure computes what a draw may cost: for each possible outcome the stakes on it and the prizes due.
//
// Invariants: the prizes due on an outcome are those that a settlement would book, found by the same rules, over all
// bets that win with it; bets decided by several draws are summed separately, because no single draw decides them. It
// only reads.
//
// Data flow: one query sums the draw's lines by rules, bet and selection, so that its answer is short whatever the
// number of tickets; the outcomes of the game are then looked up in it. A board does the same for many draws with one query, and finds the worst
// outcome of each by tables of what each outcome makes win. The sums of a board that is watched are kept with the snapshot they were read in, and the
// next reading adds the tickets of the transactions that the snapshot does not see.
package exposure
