package tasks

// MessageSend makes one attempt to deliver a queued message.
//
// Trigger: the outbox row written with the message, a resend, or the sweep. Repeating it is safe because
// an attempt leases the message's row by a guarded UPDATE, and an attempt of unknown outcome is never
// repeated. Queue messaging, 45 seconds. A message that used up its attempts is marked failed by the
// handler itself; the retries of the task outnumber them, to outlast a database that is away.
type MessageSend struct {
	MessageID string `json:"message_id"`
}

// Kind names the task.
func (MessageSend) Kind() string { return "message.send" }

// MessageResend sends the messages of a resend again, a batch in each transaction.
//
// Trigger: the outbox row written with the resend. Repeating it is safe because each batch moves the resend's cursor in the transaction that queues
// its messages. Queue messaging, 5 minutes. A run that died goes on at the cursor; when every retry fails, the resend stays unfinished and shows it.
type MessageResend struct {
	ResendID string `json:"resend_id"`
}

// Kind names the task.
func (MessageResend) Kind() string { return "message.resend" }

// MessageTrim deletes messages, what was reported of them and resends whose time is over.
//
// Trigger: hourly. Repeating it is safe because it deletes what is old at the moment it runs. Queue scheduler, 5 minutes. When every retry fails, the
// next hour tries again.
type MessageTrim struct{}

// Kind names the task.
func (MessageTrim) Kind() string { return "message.trim" }

// MessageSweep finds messages whose task was lost: an expired attempt becomes unknown, a message that waits far too
// long in the queue gets another task. It asks the providers of channels that are paused and of connections whose state is old.
//
// Trigger: every minute. Repeating it is safe because each change is a guarded UPDATE. Queue messaging, 60 seconds.
// When every retry fails, the next minute tries again.
type MessageSweep struct{}

// Kind names the task.
func (MessageSweep) Kind() string { return "message.sweep" }
