// Package exchange is the client of one external source of daily exchange rates. It has no database and takes no decisions; package
// ledger decides whether a rate is stored.
//
// The source answers GET {URL}?date=2026-11-23 with the rates of that business day, or with those that it published last:
//
//	{"date": "2026-11-23", "rates": [{"base": "USD", "quote": "VES", "rate": "245.66480000"}]}
//
// One unit of base is rate units of quote. A rate is a decimal, as a text or as a number, which is read by its digits. Other members and other
// pairs are ignored. A secret is sent as a bearer token.
//
// Invariants:
//   - Only the configured address is called, by https unless it is this machine's or private. The resolved address is checked when
//     it is dialled, no redirect is followed, and certificates are verified.
//   - The secret is in no error.
//   - A document with two readings is refused: no repeated member, no second rate of a pair.
//   - Everything is bounded: time, answer, pairs.
package exchange
