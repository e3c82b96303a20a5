// Package exposure tells what a draw may cost: for each thing that can be drawn, what was staked on it and what
// would be due.
//
// Invariants: what is due on an outcome is what a settlement would file, found by the same rules, over all bets it
// makes win; bets that several draws decide are summed apart, because no single draw decides them. It only reads.
//
// Data flow: one query sums the draw's lines by rules, bet and selection, so that its answer is short whatever was sold;
// the outcomes of the game are then looked up in that.
package exposure
