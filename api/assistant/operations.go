// Package assistant has the operations on questions to the assistant and their answers.
package assistant

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/assistant"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
)

const (
	chatPath         = "/ai/chat"
	messagePath      = chatPath + "/messages/{id}"
	conversationPath = chatPath + "/conversations"
)

type operations struct {
	*kit.Registry

	assistant *assistant.Service
}

// Register adds the operations.
func Register(r *kit.Registry, service *assistant.Service) {
	o := &operations{Registry: r, assistant: service}
	tags := []string{"Assistant"}
	use := kit.Can(auth.AssistantRead)
	kit.Handle(r, huma.Operation{
		OperationID: "ask-assistant", Method: http.MethodPost, Path: chatPath, Tags: tags, Summary: "Ask the assistant",
		DefaultStatus: http.StatusAccepted,
		Description: "Stores the question; a task answers it. Read the answer as a stream (`GET /ai/chat/messages/{id}/stream`) or ask for it again and again (`GET /ai/chat/messages/{id}`). Without a " +
			"conversation_id a conversation begins. If no AI model is available the answer is the caller's own figures.",
	}, use, o.ask,
		assistant.ErrQuestion, assistant.ErrConversationNotFound, assistant.ErrBusy, assistant.ErrFull,
		assistant.ErrBudget, assistant.ErrMessageNotFound, idempotency.ErrUnknownOutcome)
	kit.Handle(r, huma.Operation{
		OperationID: "get-answer", Method: http.MethodGet, Path: messagePath, Tags: tags,
		Summary:     "A question with its answer",
		Description: "The answer is complete when the state is done, stopped or failed. `untraced` lists figures of the answer that are not in the data that was read; the answer names them, too.",
	}, use, o.message, assistant.ErrMessageNotFound)
	kit.Handle(r, huma.Operation{
		OperationID: "stream-answer", Method: http.MethodGet, Path: messagePath + "/stream", Tags: tags,
		Summary: "The answer while it is written, as server-sent events",
		Description: "Events: `start` (a run begins: discard the shown text), `tool` (data: its name), `text` (data: a JSON string, the next part of the answer), `done` (data: the message as `GET /ai/chat/messages/{id}` " +
			"has it; the stream ends). Comments keep the connection open. After a disconnection send the id of the last event as Last-Event-ID, as browsers do. A stream ends after five minutes at the latest.",
		Responses: kit.ContentResponses("Server-sent events", map[string]*huma.Schema{eventType: {Type: huma.TypeString}}),
	}, use, o.stream, assistant.ErrMessageNotFound, assistant.ErrReaders)
	kit.Handle(r, huma.Operation{
		OperationID: "stop-answer", Method: http.MethodPost, Path: messagePath + "/stop", Tags: tags,
		Summary:     "Stop the writing of an answer",
		Description: "The written part stays. Stopping a finished answer changes nothing.",
	}, use, o.stop, assistant.ErrMessageNotFound)
	kit.Handle(r, huma.Operation{
		OperationID: "list-conversations", Method: http.MethodGet, Path: conversationPath, Tags: tags,
		Summary: "The caller's conversations, the newest first",
	}, use, o.conversations)
	kit.Handle(r, huma.Operation{
		OperationID: "get-conversation", Method: http.MethodGet, Path: conversationPath + "/{id}", Tags: tags,
		Summary: "A conversation with its questions and answers, oldest first",
	}, use, o.conversation, assistant.ErrConversationNotFound)
	kit.Handle(r, huma.Operation{
		OperationID: "rename-conversation", Method: http.MethodPatch, Path: conversationPath + "/{id}", Tags: tags,
		Summary: "Rename a conversation",
	}, use, o.rename, assistant.ErrConversationNotFound, assistant.ErrTitle)
	kit.Handle(r, huma.Operation{
		OperationID: "delete-conversation", Method: http.MethodDelete, Path: conversationPath + "/{id}", Tags: tags,
		Summary: "Delete a conversation with its questions and answers",
	}, use, o.remove, assistant.ErrConversationNotFound)
	kit.Handle(r, huma.Operation{
		OperationID: "list-assistant-usage", Method: http.MethodGet, Path: "/ai/usage", Tags: tags,
		Summary:     "Use of the models by entity and model, the most expensive first",
		Description: "Sums of a period, today without one. Attempts count each call of a model, also those that failed. The cost is of the prices in the configuration.",
	}, kit.Can(auth.ReportsRead).Operator(), o.usage)
}

// AskBody is the body of a question.
type AskBody struct {
	Message        string `json:"message" minLength:"1" maxLength:"2000" example:"¿Cuánto vendimos ayer?"`
	ConversationID string `json:"conversation_id,omitempty" format:"uuid" doc:"of an earlier question; a conversation begins without it"`
}

type askInput struct {
	kit.Idempotent
	Body AskBody
}

// chatMessage is a message as JSON.
type chatMessage struct {
	ID             uuid.UUID         `json:"id"`
	ConversationID uuid.UUID         `json:"conversation_id"`
	Question       string            `json:"question"`
	State          string            `json:"state" enum:"pending,running,done,stopped,failed"`
	Answer         string            `json:"answer" doc:"Markdown; empty until the message is finished"`
	Model          string            `json:"model" doc:"that wrote the answer; empty if no model did"`
	Cut            bool              `json:"cut" doc:"the model broke off; figures of the system follow its part"`
	Untraced       []string          `json:"untraced" nullable:"false" doc:"figures of the answer that are not in the data that was read"`
	Results        []assistantResult `json:"results" nullable:"false" doc:"the figures that were read"`
	Error          string            `json:"error" doc:"code of why it failed; empty otherwise"`
	CreatedAt      time.Time         `json:"created_at"`
	FinishedAt     *time.Time        `json:"finished_at"`
}

// assistantResult is a result of a tool as JSON.
type assistantResult struct {
	Tool    string     `json:"tool"`
	From    string     `json:"from" doc:"first business day; empty if the figures are of no period"`
	To      string     `json:"to" doc:"last business day"`
	About   string     `json:"about"`
	Columns []string   `json:"columns" nullable:"false"`
	Rows    [][]string `json:"rows" nullable:"false"`
	Facts   []fact     `json:"facts" nullable:"false" doc:"figures in addition to the table"`
	Note    string     `json:"note"`
	Link    string     `json:"link" doc:"path of the page with these figures"`
	Problem string     `json:"problem" doc:"why there are no figures; empty otherwise"`
}

// fact is a figure as JSON.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unit  string `json:"unit" doc:"currency; empty if it has none"`
}

func messageBody(m *assistant.Message) chatMessage {
	out := chatMessage{
		ID: m.ID, ConversationID: m.ConversationID, Question: m.Question, State: m.State, Answer: m.Answer,
		Model: m.Model, Cut: m.Cut, Untraced: append([]string{}, m.Untraced...), Results: []assistantResult{},
		Error: m.ErrorCode, CreatedAt: m.CreatedAt, FinishedAt: kit.Optional(m.FinishedAt),
	}
	for i := range m.Results {
		r := &m.Results[i]
		out.Results = append(out.Results, assistantResult{
			Tool: r.Tool, From: r.From.String(), To: r.To.String(), About: r.About,
			Columns: append([]string{}, r.Columns...), Rows: append([][]string{}, r.Rows...),
			Facts: kit.Map(r.Facts, func(f assistant.Fact) fact { return fact(f) }), Note: r.Note, Link: r.Link,
			Problem: r.Problem,
		})
	}
	return out
}

// accepted is the answer to a question.
type accepted struct {
	Location string `header:"Location"`
	Replayed string `header:"Idempotent-Replayed"`
	Body     kit.Envelope[chatMessage]
}

func (o *operations) ask(ctx context.Context, by caller.Caller, in *askInput) (*accepted, error) {
	q := &assistant.Question{Text: in.Body.Message, Language: middleware.Language(ctx), IdempotencyKey: in.IdempotencyKey}
	if in.Body.ConversationID != "" {
		id, err := uuid.Parse(in.Body.ConversationID)
		if err != nil {
			return nil, assistant.ErrConversationNotFound
		}
		q.ConversationID = id
	}
	m, again, err := o.assistant.Ask(ctx, by, q)
	if err != nil {
		return nil, err
	}
	once := kit.CreatedOnceOf(messageBody(m), o.BasePath+chatPath+"/messages/"+m.ID.String(), again)
	return &accepted{Location: once.Location, Replayed: once.Replayed, Body: once.Body}, nil
}

func (o *operations) message(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[chatMessage], error) {
	return messageOf(o.assistant.Message(ctx, by, in.ID))
}

func (o *operations) stop(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[chatMessage], error) {
	return messageOf(o.assistant.Stop(ctx, by, in.ID))
}

func messageOf(m *assistant.Message, err error) (*kit.Data[chatMessage], error) {
	if err != nil {
		return nil, err
	}
	return kit.DataOf(messageBody(m)), nil
}

// conversation is a conversation as JSON.
type conversation struct {
	ID        uuid.UUID `json:"id"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (o *operations) conversations(
	ctx context.Context, by caller.Caller, in *kit.CursorParams,
) (*kit.CursorList[conversation], error) {
	list, err := o.assistant.Conversations(ctx, by, positionOf(in.Cursor), in.PageSize+1)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(list) > in.PageSize {
		list = list[:in.PageSize]
		next = cursorOf(&list[len(list)-1])
	}
	return kit.CursorListOf(kit.Map(list, func(c assistant.Conversation) conversation { return conversation(c) }), in, next), nil
}

// cursorOf is the cursor behind a conversation.
func cursorOf(c *assistant.Conversation) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.UpdatedAt.Format(time.RFC3339Nano) + " " + c.ID.String()))
}

// positionOf reads a cursor; an invalid one is the beginning.
func positionOf(cursor string) assistant.Position {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return assistant.Position{}
	}
	at, id, _ := strings.Cut(string(raw), " ")
	var p assistant.Position
	if p.UpdatedAt, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return assistant.Position{}
	}
	if p.ID, err = uuid.Parse(id); err != nil {
		return assistant.Position{}
	}
	return p
}

// messages is a conversation with its messages.
type messages struct {
	ID        uuid.UUID     `json:"id"`
	Title     string        `json:"title"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
	Messages  []chatMessage `json:"messages" nullable:"false"`
}

func (o *operations) conversation(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[messages], error) {
	c, err := o.assistant.Conversation(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	list, err := o.assistant.Messages(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(messages{
		ID: c.ID, Title: c.Title, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
		Messages: kit.Map(list, func(m assistant.Message) chatMessage { return messageBody(&m) }),
	}), nil
}

// RenameBody is the body that renames a conversation.
type RenameBody struct {
	Title string `json:"title" minLength:"1" maxLength:"120"`
}

type renameInput struct {
	ID   uuid.UUID `path:"id"`
	Body RenameBody
}

func (o *operations) rename(ctx context.Context, by caller.Caller, in *renameInput) (*kit.Data[conversation], error) {
	c, err := o.assistant.Rename(ctx, by, in.ID, in.Body.Title)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(conversation(*c)), nil
}

func (o *operations) remove(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.assistant.Delete(ctx, by, in.ID))
}
