package tasks

// MonthPrepare makes the parts of the tables of sales for the next months.
//
// Trigger: daily, in the hour with the fewest sales, and when a scheduler begins to lead. Repeating it is safe because a part that exists is left as it
// is. Queue scheduler, 10 minutes. When every retry fails, the next day makes the parts: there are three months.
type MonthPrepare struct{}

// Kind names the task.
func (MonthPrepare) Kind() string { return "month.prepare" }

// MonthAnalyse gathers the statistics of the tables of sales, which autovacuum leaves to others for divided tables.
//
// Trigger: daily. Repeating it is harmless. Queue scheduler, two hours. When every retry fails, the planner has the statistics of the day before.
type MonthAnalyse struct{}

// Kind names the task.
func (MonthAnalyse) Kind() string { return "month.analyse" }

// MonthArchive moves the months that ended more than ARCHIVE_AFTER_MONTHS months ago from the tables of sales to the object store.
//
// Trigger: daily. Repeating it is safe because each month goes through states, and a run takes up the state that the one before reached; a month leaves the
// tables only after all its rows were read back. Queue scheduler, six hours. When every retry fails, the next day goes on.
type MonthArchive struct{}

// Kind names the task.
func (MonthArchive) Kind() string { return "month.archive" }
