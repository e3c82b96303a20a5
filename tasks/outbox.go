package tasks

// OutboxSweep enqueues tasks again that are due in Postgres and lost in the queue.
//
// Trigger: every 10 seconds. Repeating it is safe because a row is put back by a guarded statement, and the task
// keeps its id. Queue critical, 60 seconds. When every retry fails, the next tick does its work.
type OutboxSweep struct{}

// Kind names the task.
func (OutboxSweep) Kind() string { return "outbox.sweep" }
