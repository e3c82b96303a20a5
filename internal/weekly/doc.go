// Package weekly settles the weeks of entities (Spanish: cuadre semanal): what an entity with everything below it
// owes the operator, or is owed, its participation in the result, and the movements that paid it. It owns the tables
// weekly_drafts, weekly_settlements, weekly_adjustments and weekly_payments. A week has the business days from Monday
// to Sunday.
//
// Due of a week = net sales - prizes paid - commissions of the entity and below - participation - payments +
// adjustments, where payments are the deposits less the withdrawals on the wallets of the entity and below. The
// balance is the debt before the week (previous) plus the debt of moved entities plus the due. It equals the negated
// balance of the wallets of the entity and below, with the participations booked.
//
// An entity that changes its place in the tree takes its debt with it (moves.go). Its share of the week is subtracted
// from its parent's when the week is drafted.
//
// Participation: the result of an entity is net sales - all commissions - prizes paid. Its share includes the shares
// of the entities below; the rest is the entity's own share. The own shares of a week sum to the shares of the
// entities directly below the operator. Modes: [share].
//
// Adjustments: when a paid prize turns out wrong because a result is corrected, its difference is booked later, in
// another week. That week's settlement leaves it out of its prizes, and restates the week of the payment: the prizes
// of that week by the difference, and the shares of that and the later weeks, with the rates and modes of their time
// (adjust.go).
//
// Invariants: a week is drafted once it is over and its totals are complete, in the order of weeks; a draft can be
// made again until one of its settlements is confirmed; a confirmed settlement never changes (a trigger refuses it).
// Confirming books the own share, a commission without a ticket, from the operator's wallet, in the same transaction.
// A movement pays one week of an entity, the first that its payments do not count yet.
//
// Data flow: the task week.settle ([Service.Due]) drafts; a person of the operator confirms ([Service.Confirm]); a
// person above the entity registers payments ([Service.Pay], [Service.Link]).
package weekly
