// Package ledger owns currencies, wallets, transactions and postings: double entry, append-only.
//
// Invariants, kept by triggers in Postgres (migration 0003) and proved by Verify: the postings of a
// transaction sum to zero and are in one currency; transactions and postings never change; a balance
// changes only through postings; a wallet never falls below minus its credit limit. A movement, made by a person, is one transaction
// whose reference no other movement of the wallet has, and is reversed at most once; its row and its transaction are written together.
// The last change of a credit limit is the limit.
//
// Other packages read postings through the view wallet_postings, so that their storage can change behind it.
// models/owners_test.go fails where another package uses the table.
//
// Data flow: postings -> pending_balances (trigger) -> wallets.balance when folded. A sale folds only
// the selling wallet, in its own transaction; the fold task folds the rest. The exact balance of a
// wallet at any moment is its row plus its pending rows, and that is what every read returns.
//
// The task ledger.days adds committed postings to wallet_days, by wallet, business day and type. A balance of the past and a
// statement are wallet_days plus the postings that it does not count yet.
package ledger
