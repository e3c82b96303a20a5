package tasks

// ExportRun writes the file of an export.
//
// Trigger: the outbox row written with the export; the run itself enqueues it again for later if too many are running. Repeating it is safe because
// each run has a file of its own, and only the newest one finishes the export. Queue default, 15 minutes. A run that died begins again; after five
// runs, or when no repetition helps, the handler marks the export as failed. When every retry fails, the sweep marks it.
type ExportRun struct {
	ExportID string `json:"export_id"`
}

// Kind names the task.
func (ExportRun) Kind() string { return "export.run" }

// ExportSweep deletes the files of exports whose time is over.
//
// Trigger: every 10 minutes. Repeating it is safe because a file is deleted before its export is marked. Queue scheduler, 5 minutes. When every
// retry fails, links are refused all the same, and the next tick deletes the files.
type ExportSweep struct{}

// Kind names the task.
func (ExportSweep) Kind() string { return "export.sweep" }
