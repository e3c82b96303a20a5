// Package worker runs tasks: it takes them from asynq's queues, decodes their arguments and calls one domain method
// for each. It has no domain logic.
//
// Invariants:
//   - A kind has exactly one handler, and Registry.Missing proves at the start that each has one.
//   - Every run is bounded by its kind's timeout and survives a panic of its handler.
//   - A permanent error, which waiting cannot heal (see permanent), ends the task at once. Every other is
//     retried after tasks.RetryDelay, or later if the error has a longer RetryAfter.
//   - A killed worker uses up a retry of each task it was running, so that a task that always kills its
//     worker runs ever more rarely and ends in the archive.
//   - Payloads are never logged: kind, id and retry count are enough to find a task.
//
// Delivery is at least once, so handlers must be safe to run twice, also concurrently.
package worker
