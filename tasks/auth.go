package tasks

// CodeSend queues the message of a one-time code. The code is not in the task: it is computed when the message is sent.
//
// Trigger: the outbox row written with the code. Repeating it is safe because the message has the task's id. Queue
// messaging, 15 seconds. When every retry fails the user asks for another code; this one has expired by then.
type CodeSend struct {
	MessageID string `json:"message_id"`
}

// Kind names the task.
func (CodeSend) Kind() string { return "auth.code" }
