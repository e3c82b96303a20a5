// Package tickets owns the tables tickets and ticket_items: how a sold ticket is stored, and the moves between its
// states. It decides nothing: sales, draws and prizes call it in their transactions, under their locks.
//
//	from       to                  by
//	pending    won, lost           a settlement
//	pending    cancelled           a cancellation, a refund that leaves nothing
//	lost       cancelled           a refund that leaves nothing
//	won        paid                a payment
//	paid, won  won, lost, pending  a payment taken back, by the results
//	won, lost  won, lost, pending  a correction
//
// A correction changes the prize of a paid ticket, which stays paid. Expiry marks a won ticket (expired_at), which stays
// won. No move leaves cancelled. [Moves] lists them. A move of one ticket from another state is refused with [ErrState]; a
// statement over many leaves such tickets as they are.
//
// Other packages read lines through the view ticket_lines, so that how lines are stored can change here alone.
// models/owners_test.go fails where another package writes the tables or reads ticket_items.
package tickets
