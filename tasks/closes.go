package tasks

// DayClose opens the business day of each ticket point with events, and closes the days that are over, those of the entities above
// as well.
//
// Trigger: every minute. Repeating it is safe because a day is closed once (unique by entity, currency and day) and a closed row
// never changes. Queue scheduler, 5 minutes. A day with sales of unknown outcome stays open for the next tick. When every retry
// fails, days stay open, are listed as missing, and the next tick closes them.
type DayClose struct{}

// Kind names the task.
func (DayClose) Kind() string { return "day.close" }
