package tasks

// NoticeDraw queues the messages that follow from the decision of tickets: of their prizes, and of the results of the day once all its draws are
// decided.
//
// Trigger: the outbox row of a settlement, of a correction and of the refund of a suspended draw. Repeating it is safe because there is one message
// about a version of the prize of a ticket, and one of the results of a day, to a recipient (unique index). Queue messaging, 5 minutes. When every retry fails, the messages
// that were not queued yet are missing.
type NoticeDraw struct {
	DrawID string `json:"draw_id"`
	// DecidedAt is the instant of the decision, as tickets have it, in microseconds since 1970.
	DecidedAt int64 `json:"decided_at"`
}

// Kind names the task.
func (NoticeDraw) Kind() string { return "notice.draw" }

// NoticeClose queues the message of a daily close.
//
// Trigger: the outbox row of the close. Repeating it is safe because there is one message about a close. Queue messaging, 60 seconds. When every retry
// fails, the message is missing.
type NoticeClose struct {
	CloseID string `json:"close_id"`
}

// Kind names the task.
func (NoticeClose) Kind() string { return "notice.close" }

// NoticeSettlement queues the message of a weekly settlement.
//
// Trigger: the outbox row of its confirmation. Repeating it is safe because there is one message about a settlement. Queue messaging, 60 seconds. When
// every retry fails, the message is missing.
type NoticeSettlement struct {
	SettlementID string `json:"settlement_id"`
}

// Kind names the task.
func (NoticeSettlement) Kind() string { return "notice.settlement" }
