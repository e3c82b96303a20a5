package tasks

// MonthPrepare makes the parts of the tables of sales for the next months and analyses these tables.
//
// Trigger: daily, in the hour with the fewest sales, and when a scheduler begins to lead. Repeating it is safe because a part that exists is left as it
// is. Queue scheduler, 10 minutes. When every retry fails, the next day makes the parts: there are three months.
type MonthPrepare struct{}

// Kind names the task.
func (MonthPrepare) Kind() string { return "month.prepare" }
