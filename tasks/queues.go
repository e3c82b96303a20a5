package tasks

// The queues, each for tasks that must not wait behind the others.
const (
	QueueCritical  = "critical"  // draws and risk counters: money waits for them
	QueueReceipts  = "receipts"  // drawing and uploading receipts
	QueueMessaging = "messaging" // calls to messaging gateways
	QueueResults   = "results"   // calls to external lottery systems and to the source of exchange rates
	QueueLedger    = "ledger"    // folding and verifying balances
	QueueDefault   = "default"
	QueueScheduler = "scheduler" // housekeeping
	QueueAssistant = "assistant" // calls to AI models
)

// Queue is a queue and its weight: how often it is polled first, relative to the others. No queue starves, because
// the order is drawn for each task.
type Queue struct {
	Name   string
	Weight int
}

// Queues lists every queue a worker serves, heaviest first.
func Queues() []Queue {
	return []Queue{
		{QueueCritical, 6},
		{QueueReceipts, 3},
		{QueueMessaging, 3},
		{QueueResults, 2},
		{QueueLedger, 2},
		{QueueDefault, 1},
		{QueueScheduler, 1},
		{QueueAssistant, 1},
	}
}
