// Package reports sums sales, voids, refunds, prizes and commissions over a period, and the rest. It owns no table and
// changes nothing.
//
// The figures come from internal/rollup, so each event counts on the business day on which it happened, and a report
// of a past period never changes. The figures are exact up to [Head].AsOf. Balances come from the ledger and are
// exact now.
//
// Every report is about one entity with everything below it, in the caller's scope, in one currency.
package reports
