package tasks

import (
	"time"

	"github.com/hibiken/asynq"
)

// Spec is how the tasks of one kind are queued and bounded.
type Spec struct {
	Queue string
	// MaxRetry counts the runs after the first. A worker that is killed uses one up.
	MaxRetry int
	// Timeout bounds one run; whole seconds.
	Timeout time.Duration
	// MaxDelay is the longest wait between two runs.
	MaxDelay time.Duration
	// Retention keeps a finished task, and so its id, for this long: a second outbox row with the same id
	// (a relay killed between enqueue and delete, a tick written by two schedulers) is then refused by
	// the queue instead of running again.
	Retention time.Duration
}

// Options returns the spec as asynq options.
func (s Spec) Options() []asynq.Option {
	return []asynq.Option{
		asynq.Queue(s.Queue),
		asynq.MaxRetry(s.MaxRetry),
		asynq.Timeout(s.Timeout),
		asynq.Retention(s.Retention),
	}
}

// tickRetention outlives every overlap of two schedulers and every restart of a relay.
const tickRetention = 2 * time.Minute

// entry is one line of the table: a kind, its spec, and the check that a payload fits its arguments.
type entry struct {
	kind  string
	spec  Spec
	check func(payload []byte) error
}

// define takes the kind from the argument struct, so that every row of the table has one.
func define[T Args](spec Spec) entry {
	var zero T
	return entry{kind: zero.Kind(), spec: spec, check: check[T]}
}

func check[T Args](payload []byte) error {
	_, err := Decode[T](payload)
	return err
}

// table is the one list of kinds. It is a function because Go has no constant structs, and nothing may
// change it. Work that money or a draw waits for is retried within seconds; work that waits for the
// outside world is retried for hours.
func table() []entry {
	return []entry{
		define[ActivityLink](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[AssistantAnswer](Spec{Queue: QueueAssistant, MaxRetry: 60, Timeout: 4 * time.Minute, MaxDelay: 5 * time.Second}),
		define[AssistantTrim](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[CodeSend](Spec{Queue: QueueMessaging, MaxRetry: 8, Timeout: 15 * time.Second, MaxDelay: 30 * time.Second}),
		define[BankExpire](Spec{Queue: QueueDefault, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Retention: tickRetention}),
		define[BankNotify](Spec{Queue: QueueDefault, MaxRetry: 20, Timeout: 30 * time.Second, MaxDelay: 5 * time.Minute}),
		define[BankRequest](Spec{Queue: QueueDefault, MaxRetry: 20, Timeout: 30 * time.Second, MaxDelay: time.Minute}),
		define[BankTrim](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[DayClose](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[DocumentSweep](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[DrawClose](Spec{Queue: QueueCritical, MaxRetry: 20, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Retention: tickRetention}),
		define[DrawCloseExternal](Spec{Queue: QueueResults, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second}),
		define[DrawGenerate](Spec{Queue: QueueScheduler, MaxRetry: 5, Timeout: 2 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[DrawRefund](Spec{Queue: QueueCritical, MaxRetry: 20, Timeout: 5 * time.Minute, MaxDelay: 30 * time.Second}),
		define[DrawSettle](Spec{Queue: QueueCritical, MaxRetry: 20, Timeout: 5 * time.Minute, MaxDelay: 30 * time.Second}),
		define[DrawStop](Spec{Queue: QueueCritical, MaxRetry: 3, Timeout: 30 * time.Second, MaxDelay: 5 * time.Second, Retention: tickRetention}),
		define[ExportRun](Spec{Queue: QueueDefault, MaxRetry: 10, Timeout: 15 * time.Minute, MaxDelay: 30 * time.Second}),
		define[ExportSweep](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[LedgerDays](Spec{Queue: QueueLedger, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[LedgerFold](Spec{Queue: QueueLedger, MaxRetry: 3, Timeout: 30 * time.Second, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[LedgerVerify](Spec{Queue: QueueLedger, MaxRetry: 3, Timeout: 15 * time.Minute, MaxDelay: 5 * time.Minute, Retention: tickRetention}),
		define[MessageResend](Spec{Queue: QueueMessaging, MaxRetry: 10, Timeout: 5 * time.Minute, MaxDelay: time.Minute}),
		define[MessageSend](Spec{Queue: QueueMessaging, MaxRetry: 30, Timeout: 45 * time.Second, MaxDelay: 5 * time.Minute}),
		define[MessageSweep](Spec{Queue: QueueMessaging, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Retention: tickRetention}),
		define[MessageTrim](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 5 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[MonthAnalyse](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 2 * time.Hour, MaxDelay: 5 * time.Minute, Retention: tickRetention}),
		define[MonthArchive](Spec{Queue: QueueScheduler, MaxRetry: 5, Timeout: 6 * time.Hour, MaxDelay: 5 * time.Minute, Retention: tickRetention}),
		define[MonthPrepare](Spec{Queue: QueueScheduler, MaxRetry: 5, Timeout: 10 * time.Minute, MaxDelay: 5 * time.Minute, Retention: tickRetention}),
		define[NoticeClose](Spec{Queue: QueueMessaging, MaxRetry: 20, Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute}),
		define[NoticeDraw](Spec{Queue: QueueMessaging, MaxRetry: 20, Timeout: 5 * time.Minute, MaxDelay: 5 * time.Minute}),
		define[NoticeSettlement](Spec{Queue: QueueMessaging, MaxRetry: 20, Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute}),
		define[OutboxSweep](Spec{Queue: QueueCritical, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[QueuePrune](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 2 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[RateFetch](Spec{Queue: QueueResults, MaxRetry: 12, Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute, Retention: tickRetention}),
		define[ReceiptRender](Spec{Queue: QueueReceipts, MaxRetry: 45, Timeout: 30 * time.Second, MaxDelay: 5 * time.Minute}),
		define[RequestTrim](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: time.Minute, Retention: tickRetention}),
		define[ResultDerive](Spec{Queue: QueueResults, MaxRetry: 20, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second}),
		define[ResultPoll](Spec{Queue: QueueResults, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second}),
		define[ResultSweep](Spec{Queue: QueueResults, MaxRetry: 3, Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Retention: tickRetention}),
		define[RiskRebuild](Spec{Queue: QueueCritical, MaxRetry: 20, Timeout: 2 * time.Minute, MaxDelay: 30 * time.Second}),
		define[RiskSweep](Spec{Queue: QueueCritical, MaxRetry: 3, Timeout: 30 * time.Second, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[RollupAdvance](Spec{Queue: QueueLedger, MaxRetry: 3, Timeout: 10 * time.Minute, MaxDelay: 10 * time.Second, Retention: tickRetention}),
		define[SessionExpire](Spec{Queue: QueueScheduler, MaxRetry: 5, Timeout: 2 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
		define[TicketExpire](Spec{Queue: QueueDefault, MaxRetry: 3, Timeout: 2 * time.Minute, MaxDelay: 30 * time.Second, Retention: tickRetention}),
		define[WeekSettle](Spec{Queue: QueueScheduler, MaxRetry: 3, Timeout: 10 * time.Minute, MaxDelay: time.Minute, Retention: tickRetention}),
	}
}

func find(kind string) (entry, bool) {
	for _, e := range table() {
		if e.kind == kind {
			return e, true
		}
	}
	return entry{}, false
}

// SpecOf returns the spec of a kind, and whether there is one.
func SpecOf(kind string) (Spec, bool) {
	e, ok := find(kind)
	return e.spec, ok
}

// Kinds lists every kind of task, in alphabetical order.
func Kinds() []string {
	entries := table()
	kinds := make([]string, len(entries))
	for i, e := range entries {
		kinds[i] = e.kind
	}
	return kinds
}
