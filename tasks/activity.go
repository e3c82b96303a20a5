package tasks

// ActivityLink appends the entries of the activity log that are not linked yet to its chain of hashes.
//
// Trigger: every 5 seconds. Repeating it is safe because an entry is linked once, by a trigger. Queue scheduler, 60
// seconds. When every retry fails, the next tick links more; `banca verify` fails once entries wait for ten minutes.
type ActivityLink struct{}

// Kind names the task.
func (ActivityLink) Kind() string { return "activity.link" }
