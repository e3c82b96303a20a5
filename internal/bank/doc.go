// Package bank answers the bank's two calls, BancoConsulta (phase A, a query) and BancoNotifica (phase B, a
// notification), and stores payment requests, payments and every call.
//
// Invariants: phase A never credits; phase B answers true only for committed payments; a payment is identified by
// bank, reference and local date and is credited at most once; a repeat gets the stored answer and has no effect; a
// request is paid by at most one payment; a call that fails the check of its address or token is not parsed, reads
// nothing from the database and does not count against the bank's rate limit. `banca verify` proves the invariants
// about money.
//
// Data flow: call -> checks in the contract's order (call.go) -> fields (fields.go) -> phase A: client, hold
// (query.go); phase B: group commit (commit.go) -> one transaction for several notifications: keys locked, requests
// matched (decide.go), deposit, outbox, event and answer written (write.go). A payment that fits no request waits in
// bank_payments until an operator assigns or refunds it (resolve.go). Events of refused calls are sampled and written
// in the background (recorder.go).
//
// Order of locks, after draws and before tickets: the client of a query, payments by key, payment
// requests by id, wallets by id.
package bank
