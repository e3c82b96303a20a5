// Package drawstate owns the table draws: how a draw is stored, and the moves between its states. It decides nothing: catalog
// plans draws, draws runs them and risk counts on them; each calls it in its transactions, under its locks.
//
//	from                     to               by
//	scheduled                open             the instant at which its sales begin
//	scheduled, open          open, scheduled  a plan that changes when its sales begin
//	open                     closed           the instant at which its sales stop
//	scheduled, open, closed  suspended        a person
//	closed                   resulted         a verified result
//	resulted                 settled          a settlement
//
// A correction changes the result of a settled draw, which stays settled. A statement that names the state it moves from
// leaves other draws as they are; the others are called with the draw's row locked and its state checked.
// models/owners_test.go fails where another package writes the table.
package drawstate
