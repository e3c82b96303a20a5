package messaging

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
)

const resendsPath = "/messaging/resends"

func (o *operations) registerResends() {
	can := kit.Can(auth.MessagingResend)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "estimate-resend", Method: http.MethodGet, Path: resendsPath + "/estimate",
		Summary:     "What a resend of many messages would send again, by the code of the error",
		Description: "A dry run: it changes nothing. The status is `failed` or `unknown`.",
	}), can, o.estimate, messaging.ErrNotBulk, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "create-resend", Method: http.MethodPost, Path: resendsPath,
		Summary: "Send all messages of a filter again",
		Description: "A task queues them in batches; `GET /messaging/resends/{id}` shows its progress. What fails after this call is not among them, and neither are messages whose entity is not below the caller's any more when their batch runs. " +
			"Messages of the status `unknown` may arrive twice, so they are sent again only if the filter names it.",
	}), can, o.createResend,
		messaging.ErrNotBulk, messaging.ErrNothing, messaging.ErrResendNotFound, org.ErrEntityNotFound,
		idempotency.ErrUnknownOutcome)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "get-resend", Method: http.MethodGet, Path: resendsPath + "/{id}",
		Summary: "A resend of many messages with its progress",
	}), can, o.getResend, messaging.ErrResendNotFound)
}

type resendEstimate struct {
	Total int64       `json:"total"`
	Codes []codeCount `json:"codes" nullable:"false" doc:"the most frequent first"`
}

type codeCount struct {
	ErrorCode string `json:"error_code"`
	Count     int64  `json:"count"`
}

type estimateInput struct{ MessageFilter }

func (o *operations) estimate(
	ctx context.Context, by caller.Caller, in *estimateInput,
) (*kit.Data[resendEstimate], error) {
	e, err := o.messages.EstimateResend(ctx, by, in.filter())
	if err != nil {
		return nil, err
	}
	codes := kit.Map(e.Codes, func(c messaging.CodeCount) codeCount { return codeCount{c.Code, c.Count} })
	return kit.DataOf(resendEstimate{Total: e.Total, Codes: codes}), nil
}

// ResendBody is the filter of a resend.
type ResendBody struct {
	Status    string    `json:"status" enum:"failed,unknown"`
	Kind      string    `json:"kind,omitempty" maxLength:"40"`
	ErrorCode string    `json:"error_code,omitempty" maxLength:"60"`
	Recipient string    `json:"recipient,omitempty" maxLength:"20" doc:"in E.164 form"`
	EntityID  uuid.UUID `json:"entity_id,omitzero" doc:"with everything below it"`
	TicketID  uuid.UUID `json:"ticket_id,omitzero"`
	ChannelID uuid.UUID `json:"channel_id,omitzero" doc:"connection of the last attempt"`
	From      time.Time `json:"from,omitzero" doc:"created from this instant on"`
	To        time.Time `json:"to,omitzero" doc:"created before this instant"`
}

// ResentFilter is the filter of a resend in answers.
type ResentFilter ResendBody

type createResendInput struct {
	kit.Idempotent
	Body ResendBody
}

type resend struct {
	ID         uuid.UUID    `json:"id"`
	UserName   string       `json:"user_name"`
	Filter     ResentFilter `json:"filter"`
	Total      int64        `json:"total" doc:"when it was asked for"`
	Done       int64        `json:"done" doc:"queued again so far"`
	CreatedAt  time.Time    `json:"created_at"`
	FinishedAt *time.Time   `json:"finished_at"`
}

func resendBody(r *messaging.Resend) resend {
	return resend{
		ID: r.ID, UserName: r.UserName, Filter: ResentFilter(r.Filter), Total: r.Total, Done: r.Done,
		CreatedAt: r.CreatedAt.UTC(), FinishedAt: kit.UTC(r.FinishedAt),
	}
}

func (o *operations) createResend(
	ctx context.Context, by caller.Caller, in *createResendInput,
) (*kit.CreatedOnce[resend], error) {
	r, again, err := o.messages.ResendMany(ctx, by, messaging.Filter(in.Body), in.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(resendBody(r), o.BasePath+resendsPath+"/"+r.ID.String(), again), nil
}

func (o *operations) getResend(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[resend], error) {
	return kit.DataFromValue(resendBody)(o.messages.GetResend(ctx, by, in.ID))
}
