package tasks

// AssistantAnswer answers a question of a user.
//
// Trigger: the outbox row written with the question. Repeating it is safe because a message is claimed by a guarded UPDATE, and only its newest run writes. Queue
// assistant, 4 minutes; a task that finds all places of its process taken comes again. A run that died begins again once; then, or when every retry fails, the
// message fails.
type AssistantAnswer struct {
	MessageID string `json:"message_id"`
}

// Kind names the task.
func (AssistantAnswer) Kind() string { return "assistant.answer" }
