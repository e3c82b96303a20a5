// Package closes ends the business days of entities: what a ticket point sold, cancelled, refunded and paid, the cash that it
// must have, and the cash that was counted. It owns the tables daily_closes, daily_close_parts and cash_handovers.
//
// The events of a ticket point are the transactions that post on its main wallet in a currency. A close of the day D has
// the snapshot that it read them in (seen) and the end of D (ends_at). It covers the transactions that are visible in seen
// and were made before ends_at, less those that the close before it covers.
//
// Invariants: every event is in exactly one close of its wallet, or in none yet: seen and ends_at of the closes of a wallet only
// grow, and previous_id makes the closes a chain. This holds whatever commits while a close is made, so a close takes
// no lock that a sale takes: a sale that commits after the snapshot is in the next close. A closed row never changes. An
// event counts on the day on which it happens: a cancellation of an earlier day's ticket is in the close of the day of the
// cancellation. An event that is made on a day after its close, or that commits after it, is in the next close, among
// its late events.
//
// An entity above ticket points closes a day by summing the closes of its children ([Service.closeAbove]); each is summed in one
// close (daily_close_parts). It waits until every ticket point below has closed.
//
// Data flow: the task day.close ([Service.Due]) opens the day of each wallet with events, and closes the days that are over.
// A cashier closes by hand, with the cash counted ([Service.Close]).
//
// The ids of transactions belong to a cluster, see internal/platform/feed. A close whose predecessor was made in another cluster is
// refused with [ErrOtherCluster].
package closes
