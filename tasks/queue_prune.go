package tasks

// QueuePrune deletes archived tasks of the queues before asynq does, in batches: it fails when thousands expire at once.
//
// Trigger: every hour. Repeating it is harmless. Queue scheduler, 2 minutes. When every retry fails, the next tick does its
// work.
type QueuePrune struct{}

// Kind names the task.
func (QueuePrune) Kind() string { return "queue.prune" }
