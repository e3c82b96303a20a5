package draws

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

func (o *operations) registerDraws() {
	tags := []string{"Draws"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "suspend-draw", Method: http.MethodPost, Path: "/draws/{id}/suspend", Tags: tags,
		Summary:     "Suspend a draw that has no result",
		Description: "Refuses sales from now on; a task refunds the stakes. It cannot be undone.",
	}, kit.Can(auth.DrawsSuspend).Sensitive().Operator(), o.suspendDraw,
		catalog.ErrDrawNotFound, draws.ErrCannotSuspend, draws.ErrDrawNotFound, draws.ErrReasonMissing,
		money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "accept-draw-seal", Method: http.MethodPost, Path: "/draws/{id}/seal", Tags: tags,
		Summary: "Accept the tickets of a draw whose seal is broken",
		Description: "The first call proposes the tickets as they are; the same call by a second person, while the tickets are still the same, seals the draw again, so that it can be settled and corrected. " +
			"Compare both seals and both numbers of tickets with a backup first: see docs/draws.md.",
	}, kit.Can(auth.ResultsVerify).Sensitive().Operator(), o.acceptSeal,
		draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrSamePerson, draws.ErrSealHolds, draws.ErrSealBroken,
		draws.ErrSuspended, draws.ErrResultNotFound, draws.ErrNotClosed, draws.ErrNoResult)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-draw-alerts", Method: http.MethodGet, Path: "/draw-alerts", Tags: tags,
		Summary: "Problems of draws that need a person: no result, sources that disagree, a broken seal",
	}, kit.Can(auth.ResultsRead).Operator(), o.listDrawAlerts)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "acknowledge-draw-alert", Method: http.MethodPost, Path: "/draw-alerts/{id}/acknowledge",
		Tags:    tags,
		Summary: "Note that an alert was seen", DefaultStatus: http.StatusNoContent,
	}, kit.Can(auth.ResultsWrite).Operator(), o.acknowledgeDrawAlert, draws.ErrAlertNotFound)
}

type suspendInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
	}
}

func (o *operations) suspendDraw(ctx context.Context, by caller.Caller, in *suspendInput) (*kit.Data[draw], error) {
	if err := o.draws.Suspend(ctx, by, in.ID, in.Body.Reason); err != nil {
		return nil, err
	}
	return o.drawFor(ctx, by, in.ID)
}

type sealAcceptance struct {
	DrawID     uuid.UUID  `json:"draw_id"`
	Status     string     `json:"status" enum:"proposed,accepted" doc:"proposed until a second person accepts the same tickets"`
	Broken     string     `json:"broken_seal" doc:"SHA-256 over the tickets that the draw was closed with"`
	Seal       string     `json:"seal" doc:"SHA-256 over the tickets as they are"`
	Sealed     int        `json:"sealed_tickets" doc:"tickets when the draw was closed"`
	Tickets    int        `json:"tickets" doc:"tickets as they are"`
	Reason     string     `json:"reason"`
	ProposedBy uuid.UUID  `json:"proposed_by"`
	ProposedAt time.Time  `json:"proposed_at"`
	AcceptedBy *uuid.UUID `json:"accepted_by,omitempty"`
	AcceptedAt *time.Time `json:"accepted_at,omitempty"`
}

func (o *operations) acceptSeal(
	ctx context.Context, by caller.Caller, in *suspendInput,
) (*kit.Data[sealAcceptance], error) {
	s, err := o.draws.AcceptSeal(ctx, by, in.ID, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	status := "proposed"
	if !s.AcceptedAt.IsZero() {
		status = "accepted"
	}
	return kit.DataOf(sealAcceptance{
		DrawID: s.DrawID, Status: status, Broken: s.Broken, Seal: s.Seal, Sealed: s.Sealed, Tickets: s.Tickets,
		Reason:     s.Reason,
		ProposedBy: s.ProposedBy, ProposedAt: s.ProposedAt, AcceptedBy: kit.Optional(s.AcceptedBy),
		AcceptedAt: kit.Optional(s.AcceptedAt),
	}), nil
}

type drawAlert struct {
	ID             uuid.UUID  `json:"id"`
	DrawID         uuid.UUID  `json:"draw_id"`
	Game           string     `json:"game" doc:"name"`
	DrawNumber     string     `json:"draw_number"`
	DrawTime       time.Time  `json:"draw_time"`
	Kind           string     `json:"kind" enum:"no_result,contradiction,differs,malformed,close_failed,seal_broken"`
	Detail         string     `json:"detail,omitempty"`
	Count          int64      `json:"count"`
	FirstAt        time.Time  `json:"first_at"`
	LastAt         time.Time  `json:"last_at"`
	AcknowledgedBy *uuid.UUID `json:"acknowledged_by,omitempty"`
	AcknowledgedAt *time.Time `json:"acknowledged_at,omitempty"`
}

type drawAlertsInput struct {
	kit.PageParams
	Open bool `query:"open" doc:"only alerts that are not acknowledged"`
}

func (o *operations) listDrawAlerts(
	ctx context.Context, _ caller.Caller, in *drawAlertsInput,
) (*kit.List[drawAlert], error) {
	return kit.ListFrom(drawAlertBody, &in.PageParams)(o.draws.Alerts(ctx, &draws.AlertFilter{Open: in.Open}, in.PageSize, in.Offset()))
}

func (o *operations) acknowledgeDrawAlert(ctx context.Context, by caller.Caller, in *kit.ByID) (*struct{}, error) {
	return nil, o.draws.Acknowledge(ctx, by, in.ID)
}

func drawAlertBody(v draws.Alert) drawAlert {
	return drawAlert{
		ID: v.ID, DrawID: v.DrawID, Game: v.Game, DrawNumber: v.DrawNumber, DrawTime: v.DrawTime, Kind: v.Kind,
		Detail: v.Detail, Count: v.Count,
		FirstAt: v.FirstAt, LastAt: v.LastAt, AcknowledgedBy: kit.Optional(v.AcknowledgedBy),
		AcknowledgedAt: kit.Optional(v.AcknowledgedAt),
	}
}
