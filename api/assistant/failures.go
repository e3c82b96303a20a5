package assistant

import (
	"banca/internal/assistant"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
)

// failures lists the errors of the operations.
func failures() map[string][]*apperr.Error {
	message, conversation := []*apperr.Error{assistant.ErrMessageNotFound}, []*apperr.Error{assistant.ErrConversationNotFound}
	return map[string][]*apperr.Error{
		"ask-assistant": {
			assistant.ErrQuestion, assistant.ErrConversationNotFound, assistant.ErrBusy, assistant.ErrFull, assistant.ErrBudget, assistant.ErrMessageNotFound,
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome,
		},
		"get-answer": message, "stop-answer": message, "stream-answer": {assistant.ErrMessageNotFound, assistant.ErrReaders},
		"get-conversation": conversation, "rename-conversation": {assistant.ErrConversationNotFound, assistant.ErrTitle}, "delete-conversation": conversation,
	}
}
