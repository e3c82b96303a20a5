package tasks

// The queues, each for tasks that must not wait behind the others.
const (
	QueueCritical  = "critical"  // draws and risk counts: money waits for them
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
	Waits  bool // its tasks mostly wait for other systems, so many run at a time
}

// Queues lists every queue a worker serves, heaviest first.
func Queues() []Queue {
	return []Queue{
		{Name: QueueCritical, Weight: 6},
		{Name: QueueReceipts, Weight: 3, Waits: true},
		{Name: QueueMessaging, Weight: 3, Waits: true},
		{Name: QueueResults, Weight: 2},
		{Name: QueueLedger, Weight: 2},
		{Name: QueueDefault, Weight: 1},
		{Name: QueueScheduler, Weight: 1},
		{Name: QueueAssistant, Weight: 1},
	}
}
