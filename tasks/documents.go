package tasks

// DocumentSweep removes files of the private bucket that no document names: of uploads that died on the way, and of
// documents that were removed while the store was away.
//
// Trigger: hourly. Repeating it is safe because each file is removed under the lock of the line that leads to it. Queue
// scheduler, 5 minutes. When every retry fails, the lines stay and the next sweep goes on with them.
type DocumentSweep struct{}

// Kind names the task.
func (DocumentSweep) Kind() string { return "document.sweep" }
