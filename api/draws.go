package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/draws"
)

func (a *API) registerDraws() {
	tags := []string{"Draws"}
	handle(a, huma.Operation{
		OperationID: "suspend-draw", Method: http.MethodPost, Path: "/draws/{id}/suspend", Tags: tags,
		Summary:     "Suspend a draw that has no result",
		Description: "Its sales are refused from now on, and what was sold on it is given back by a task. It cannot be undone.",
	}, Can(auth.DrawsSuspend).Sensitive().Operator(), a.suspendDraw)
	handle(a, huma.Operation{
		OperationID: "accept-draw-seal", Method: http.MethodPost, Path: "/draws/{id}/seal", Tags: tags,
		Summary: "Accept the tickets of a draw whose seal is broken",
		Description: "The first call proposes the tickets as they are; the same call by a second person, while the tickets are still the same, seals the draw anew, so that it can be settled and corrected again. " +
			"Compare both seals and both numbers of tickets with a backup first: see docs/draws.md.",
	}, Can(auth.ResultsVerify).Sensitive().Operator(), a.acceptSeal)
	handle(a, huma.Operation{
		OperationID: "list-draw-alerts", Method: http.MethodGet, Path: "/draw-alerts", Tags: tags,
		Summary: "What somebody should look at: no result, sources that disagree, a broken seal",
	}, Can(auth.ResultsRead).Operator(), a.listDrawAlerts)
	handle(a, huma.Operation{
		OperationID: "acknowledge-draw-alert", Method: http.MethodPost, Path: "/draw-alerts/{id}/acknowledge", Tags: tags,
		Summary: "Note that an alert was seen", DefaultStatus: http.StatusNoContent,
	}, Can(auth.ResultsWrite).Operator(), a.acknowledgeDrawAlert)
}

type suspendInput struct {
	ID   uuid.UUID `path:"id"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
	}
}

func (a *API) suspendDraw(ctx context.Context, in *suspendInput) (*Data[draw], error) {
	if err := a.deps.Draws.Suspend(ctx, middleware.PrincipalFrom(ctx).UserID, in.ID, in.Body.Reason); err != nil {
		return nil, err
	}
	d, err := a.deps.Catalog.Draw(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	stop, err := a.callerStop(ctx)
	if err != nil {
		return nil, err
	}
	return data(drawBody(d, stop)), nil
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

func (a *API) acceptSeal(ctx context.Context, in *suspendInput) (*Data[sealAcceptance], error) {
	s, err := a.deps.Draws.AcceptSeal(ctx, middleware.PrincipalFrom(ctx).UserID, in.ID, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	status := "proposed"
	if !s.AcceptedAt.IsZero() {
		status = "accepted"
	}
	return data(sealAcceptance{
		DrawID: s.DrawID, Status: status, Broken: s.Broken, Seal: s.Seal, Sealed: s.Sealed, Tickets: s.Tickets, Reason: s.Reason,
		ProposedBy: s.ProposedBy, ProposedAt: s.ProposedAt, AcceptedBy: given(s.AcceptedBy), AcceptedAt: given(s.AcceptedAt),
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
	PageParams
	Open bool `query:"open" doc:"only those that nobody has acknowledged"`
}

func (a *API) listDrawAlerts(ctx context.Context, in *drawAlertsInput) (*List[drawAlert], error) {
	alerts, total, err := a.deps.Draws.Alerts(ctx, in.Open, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return list(mapped(alerts, drawAlertBody), &in.PageParams, total), nil
}

func (a *API) acknowledgeDrawAlert(ctx context.Context, in *ResultParams) (*struct{}, error) {
	return nil, a.deps.Draws.Acknowledge(ctx, middleware.PrincipalFrom(ctx).UserID, in.ID)
}

func drawAlertBody(v draws.Alert) drawAlert {
	return drawAlert{
		ID: v.ID, DrawID: v.DrawID, Game: v.Game, DrawNumber: v.DrawNumber, DrawTime: v.DrawTime, Kind: v.Kind, Detail: v.Detail, Count: v.Count,
		FirstAt: v.FirstAt, LastAt: v.LastAt, AcknowledgedBy: given(v.AcknowledgedBy), AcknowledgedAt: given(v.AcknowledgedAt),
	}
}
