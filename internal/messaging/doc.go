// Package messaging sends receipts to customers through messaging gateways and owns message_logs and
// message_attempts.
//
// How a message travels: QueueReceiptTx writes its row and the task message.send in the caller's
// transaction. Send, the task's handler, leases the row by a guarded UPDATE, hands the message to the
// driver of the entity's channel and writes the result with an attempt row. Sweep heals what was lost.
//
// Invariants:
//   - A ticket has at most one receipt message, by a unique index.
//   - At most one attempt of a message is under way: only a queued row can be leased.
//   - Nothing is sent again unless it is certain that it was not delivered. A request whose answer never
//     came, and an attempt that was killed, make the message unknown; only a person may resend that.
//   - The way of a status: queued -> sending -> sent, failed or unknown, and back to queued when an attempt
//     certainly failed for the moment. unknown may still become sent or failed, when a late attempt knows.
//   - Attempts are append-only, by a trigger.
//   - Telephone numbers are masked in logs and error texts, credentials are never in either.
package messaging
