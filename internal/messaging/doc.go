// Package messaging sends receipts to customers through messaging gateways and owns message_logs and
// message_attempts.
//
// Data flow: QueueTx writes a message's row and the task message.send in the caller's transaction. Send, the
// task's handler, leases the row by a guarded UPDATE, passes the message to the driver of the entity's channel and
// writes the result with an attempt row. Sweep completes lost attempts.
//
// Invariants:
//   - A ticket has at most one receipt message, by a unique index.
//   - At most one attempt of a message runs at a time: only a queued row can be leased.
//   - A message is sent again only if it was certainly not delivered. A request whose answer never came, and
//     an attempt that was killed, make the message unknown; only a person may resend it.
//   - Transitions of a status: queued -> sending -> sent, failed or unknown, and back to queued when an attempt
//     certainly failed for a temporary reason. unknown may still become sent or failed by a late attempt.
//   - Attempts are append-only, by a trigger.
//   - Telephone numbers are masked in logs and error texts; credentials are in neither.
package messaging
