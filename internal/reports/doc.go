// Package reports answers the questions about money over a period: what was sold, voided, refunded, won and paid, which commissions arose from it,
// and what is left. It owns no table and changes nothing.
//
// The figures come from internal/rollup, so each event counts on the business day on which it happened, and a report of a past period never
// changes. The figures are exact up to [Head].AsOf. Balances come from the ledger and are exact now.
//
// Every report is about one entity with everything below it, in the caller's scope, in one currency.
package reports
