package messaging

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/models"
)

const logsPath = "/messaging/logs"

func (o *operations) registerLogs() {
	read := kit.Can(auth.MessagingRead)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "list-messages", Method: http.MethodGet, Path: logsPath,
		Summary: "Messages of the caller's part of the organisation, newest first",
	}), read, o.list, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "get-message", Method: http.MethodGet, Path: logsPath + "/{log_id}",
		Summary:     "A message with its content and its delivery events",
		Description: "`timeline` has each attempt and each report of the provider in the order of their instants. The text of a one-time code is not kept.",
	}), read, o.get, messaging.ErrNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "resend-message", Method: http.MethodPost, Path: logsPath + "/{log_id}/resend",
		DefaultStatus: http.StatusOK, Summary: "Send a failed message again",
		Description: "Increments `retry_count`. A second call is refused until the message has failed again. A message of the status `unknown` may arrive twice.",
	}), kit.Can(auth.MessagingResend), o.resend, messaging.ErrNotFound, messaging.ErrNotResendable)
}

// MessageFilter holds the filters of messages.
type MessageFilter struct {
	Status    string    `query:"status" enum:"queued,sending,sent,delivered,read,failed,unknown"`
	Kind      string    `query:"kind" maxLength:"40" example:"receipt"`
	ErrorCode string    `query:"error_code" maxLength:"60" example:"RECIPIENT"`
	Recipient string    `query:"recipient" maxLength:"20" doc:"in E.164 form"`
	EntityID  string    `query:"entity_id" format:"uuid" doc:"with everything below it"`
	TicketID  string    `query:"ticket_id" format:"uuid"`
	ChannelID string    `query:"channel_id" format:"uuid" doc:"connection of the last attempt, or that the message waits for"`
	From      time.Time `query:"from" doc:"created from this instant on"`
	To        time.Time `query:"to" doc:"created before this instant"`
}

func (f *MessageFilter) filter() messaging.Filter {
	return messaging.Filter{
		Status: f.Status, Kind: f.Kind, ErrorCode: f.ErrorCode, Recipient: f.Recipient, EntityID: kit.ID(f.EntityID),
		TicketID:  kit.ID(f.TicketID),
		ChannelID: kit.ID(f.ChannelID), From: f.From, To: f.To,
	}
}

type listInput struct {
	MessageFilter
	Cursor   string `query:"cursor" format:"uuid" doc:"next_cursor of the page before; empty for the first page"`
	PageSize int    `query:"page_size" minimum:"1" maximum:"200" default:"50" doc:"things on a page"`
}

// Message is a message in answers.
type Message struct {
	ID         uuid.UUID  `json:"id"`
	EntityID   uuid.UUID  `json:"entity_id"`
	TicketID   *uuid.UUID `json:"ticket_id"`
	Kind       string     `json:"kind" example:"receipt"`
	Status     string     `json:"status" enum:"queued,sending,sent,delivered,read,failed,unknown"`
	Driver     string     `json:"driver" doc:"of the last attempt; empty before the first"`
	Recipient  string     `json:"recipient" doc:"empty after its customer was deleted"`
	ImageURL   *string    `json:"image_url"`
	ChannelID  *uuid.UUID `json:"channel_id" doc:"connection of the last attempt, or that the message waits for; the zero id is the configured channel"`
	Waiting    bool       `json:"waiting" doc:"its channel is paused; it goes on by itself"`
	SendAfter  *time.Time `json:"send_after" doc:"its turn among the messages of its recipient or channel"`
	RetryCount int        `json:"retry_count" doc:"how often a person sent it again"`
	Attempts   int        `json:"attempts"`
	ErrorCode  *string    `json:"error_code"`
	ErrorText  *string    `json:"error_text" doc:"the provider's, with telephone numbers masked"`
	ProviderID *string    `json:"provider_id"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

type messageDetail struct {
	Message

	Body     string  `json:"body" doc:"the text, or the caption of the picture"`
	Timeline []event `json:"timeline" nullable:"false"`
}

type event struct {
	At         time.Time `json:"at"`
	Event      string    `json:"event" enum:"attempt,report"`
	Status     string    `json:"status" doc:"the outcome of the attempt: sent, or the class of its error; or the reported status"`
	Number     int       `json:"number" doc:"of the attempt; 0 for a report"`
	Driver     string    `json:"driver"`
	DurationMS int       `json:"duration_ms" doc:"of the attempt"`
	ErrorText  string    `json:"error_text"`
	ProviderID string    `json:"provider_id"`
}

func messageBody(m models.MessageLog) Message {
	return Message{
		ID: m.ID, EntityID: m.EntityID, TicketID: m.TicketID, Kind: m.Kind, Status: m.Status, Driver: m.Driver,
		Recipient: m.Recipient, ImageURL: m.ImageURL,
		ChannelID: m.ChannelID, Waiting: m.Waiting, SendAfter: kit.UTC(m.SendAfter), RetryCount: m.RetryCount,
		Attempts: m.Attempts, ErrorCode: m.ErrorCode, ErrorText: m.ErrorText, ProviderID: m.ProviderID,
		CreatedAt: m.CreatedAt.UTC(), UpdatedAt: m.UpdatedAt.UTC(),
	}
}

// timeline orders attempts, each at its end, and reports by their instants.
func timeline(d *messaging.Detail) []event {
	list := make([]event, 0, len(d.Tries)+len(d.Reports))
	for i := range d.Tries {
		t := &d.Tries[i]
		e := event{
			At: t.CreatedAt.UTC(), Event: "attempt", Status: t.Outcome, Number: t.Number, Driver: t.Driver,
			DurationMS: t.DurationMs, ErrorText: t.ErrorText,
		}
		if t.ProviderID != nil {
			e.ProviderID = *t.ProviderID
		}
		list = append(list, e)
	}
	for i := range d.Reports {
		r := &d.Reports[i]
		list = append(list, event{At: r.ReportedAt.UTC(), Event: "report", Status: r.Status, Driver: d.Driver, ErrorText: r.ErrorText, ProviderID: r.ProviderID})
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Number, b.Number)) })
	return list
}

func (o *operations) list(ctx context.Context, by caller.Caller, in *listInput) (*kit.CursorList[Message], error) {
	list, err := o.messages.List(
		ctx, by, in.filter(), messaging.Page{Before: kit.ID(in.Cursor), Limit: in.PageSize + 1},
	)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(list) > in.PageSize {
		list = list[:in.PageSize]
		next = list[in.PageSize-1].ID.String()
	}
	return kit.CursorListOf(kit.Map(list, messageBody), &kit.CursorParams{PageSize: in.PageSize}, next), nil
}

// LogParams names a message.
type LogParams struct {
	LogID uuid.UUID `path:"log_id"`
}

func (o *operations) get(ctx context.Context, by caller.Caller, in *LogParams) (*kit.Data[messageDetail], error) {
	d, err := o.messages.Get(ctx, by, in.LogID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(messageDetail{Message: messageBody(d.MessageLog), Body: d.Body, Timeline: timeline(&d)}), nil
}

func (o *operations) resend(ctx context.Context, by caller.Caller, in *LogParams) (*kit.Data[Message], error) {
	if err := o.messages.Resend(ctx, by, in.LogID); err != nil {
		return nil, err
	}
	d, err := o.messages.Get(ctx, by, in.LogID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(messageBody(d.MessageLog)), nil
}
