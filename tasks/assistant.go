package tasks

// AssistantAnswer answers a question of a user.
//
// Trigger: the outbox row written with the question. Repeating it is safe because a message is claimed by a guarded UPDATE, and only its newest run writes. Queue
// assistant, 4 minutes. It answers the message that waits longest. Where all places of its process are taken, or another message came first, it ends and another
// task is written for its message, which uses up no retry. A run that failed or died begins again once, then the message fails; when every retry fails, the message
// counts as failed after ten minutes.
type AssistantAnswer struct {
	MessageID string `json:"message_id"`
}

// Kind names the task.
func (AssistantAnswer) Kind() string { return "assistant.answer" }

// AssistantTrim deletes conversations with the assistant whose time is over.
//
// Trigger: hourly. Repeating it is safe because rows are chosen by their age. Queue scheduler, 5 minutes. When every retry fails, the next hour deletes more.
type AssistantTrim struct{}

// Kind names the task.
func (AssistantTrim) Kind() string { return "assistant.trim" }
