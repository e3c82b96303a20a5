// Package alerts owns the security alerts of the operator: refused or contradictory calls of the bank, lost tasks,
// exchange rates that were not fetched, AI models that refuse their key.
//
// Invariants: an alert counts the occurrences of one kind, source, subject and hour. An occurrence after an
// acknowledgement reopens the alert.
package alerts
