package assistant

import (
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain.
var (
	ErrConversationNotFound = apperr.New(apperr.NotFound, "CONVERSATION_NOT_FOUND", "you have no such conversation")
	ErrMessageNotFound      = apperr.New(apperr.NotFound, "CHAT_MESSAGE_NOT_FOUND", "you have no such message")
	ErrQuestion             = apperr.New(apperr.Invalid, "QUESTION_INVALID", "a question has 1 to 2,000 characters")
	ErrTitle                = apperr.New(apperr.Invalid, "TITLE_INVALID", "a title has 1 to 120 characters")
	ErrBusy                 = apperr.New(apperr.Conflict, "ANSWER_PENDING", "an earlier question is being answered; wait for it or stop it")
	ErrFull                 = apperr.New(apperr.Conflict, "CONVERSATION_FULL", "the conversation has 200 questions; begin another one")
	ErrBudget               = apperr.New(apperr.RateLimited, "ASSISTANT_BUDGET", "today's budget of the assistant is used up for this entity; ask again tomorrow").WithRetryAfter(time.Hour)
	ErrReaders              = apperr.New(apperr.Unavailable, "TOO_MANY_STREAMS", "no stream is free; read the message without a stream, or try again").WithRetryAfter(5 * time.Second)
	// ErrInterrupted is the error of a message whose runs died.
	ErrInterrupted = apperr.New(apperr.Internal, "ANSWER_INTERRUPTED", "the answer could not be written; ask again")
)

// AmbiguousError is the refusal of a name that several things have. The model gets the names and asks the user.
type AmbiguousError struct {
	Problem string
	Names   []string
}

// Error implements error.
func (e *AmbiguousError) Error() string { return e.Problem }

// ToolError is the text with which a tool refuses its arguments. The model reads it and may call the tool again; it never reaches a client.
type ToolError string

// Error implements error.
func (r ToolError) Error() string { return string(r) }
