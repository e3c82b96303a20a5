package tasks

// WeekSettle drafts the weekly settlements of weeks that are over.
//
// Trigger: every 30 minutes. Repeating it is safe because a week is drafted once in a currency (primary key), under a lock. Queue scheduler,
// 10 minutes. While the sales of a week are not counted in the totals, the week waits for the next tick. When every retry fails, the week stays undrafted, and the next
// tick drafts it.
type WeekSettle struct{}

// Kind names the task.
func (WeekSettle) Kind() string { return "week.settle" }
