package tasks

// RequestTrim makes the partitions of the request log for the next days, and drops those beyond its retention.
//
// Trigger: hourly. Repeating it is safe because partitions are chosen by their days. Queue scheduler, 60 seconds. When every retry fails, the next hour
// drops more; the api makes a missing partition itself.
type RequestTrim struct{}

// Kind names the task.
func (RequestTrim) Kind() string { return "request.trim" }
