package tasks

// RateFetch fetches the exchange rates of the day from the configured source.
//
// Trigger: twice a day, and a person who asks for it. Repeating it is safe because a day has one rate of a pair, and a typed rate stays. Queue
// results, 60 seconds. When every retry fails, an alert is filed, the last rates stay in use, and the next tick tries again.
type RateFetch struct{}

// Kind names the task.
func (RateFetch) Kind() string { return "rate.fetch" }
