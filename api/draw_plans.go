package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/catalog"
)

func (a *API) registerDrawPlans() {
	handle(a, huma.Operation{
		OperationID: "sync-draws", Method: http.MethodPost, Path: "/games/{id}/draws/bulk", Tags: []string{"Catalogue"},
		Summary: "Make a game's draws in a range of dates what is given, in one transaction",
		Description: "A draw is named by its local date and its draw_number: missing ones are created, those that differ changed, and those that are not " +
			"named deleted. The days are planned by hand from then on, until by_schedule gives them back. Draws with tickets can be neither moved nor " +
			"deleted (DRAW_HAS_TICKETS), and those whose sales are over stay as they are (DRAW_NOT_OPEN); each is named as date and number.",
	}, Can(auth.CatalogWrite).Sensitive().Operator(), a.syncDraws)
}

type drawSpec struct {
	DrawNumber string    `json:"draw_number" minLength:"1" maxLength:"32" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$"`
	DrawTime   time.Time `json:"draw_time"`
	SaleStopAt time.Time `json:"sale_stop_at,omitzero" required:"false" doc:"as long before the draw as the game says where it is left out"`
	OpensAt    time.Time `json:"opens_at,omitzero" required:"false" doc:"when a scheduled one is put on sale"`
	Status     string    `json:"status,omitempty" enum:"scheduled,open" doc:"where it is left out, a new one is open, or scheduled when it has an opens_at; one that loses its opens_at is open"`
}

type drawCounts struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Kept      int `json:"kept" doc:"that are over, or that a changed schedule left alone because tickets were sold on them"`
}

type syncDrawsInput struct {
	GameParams
	Body struct {
		From       string     `json:"from" format:"date" doc:"first local date"`
		To         string     `json:"to" format:"date" doc:"last local date; at most 366 days"`
		Draws      []drawSpec `json:"draws,omitempty" maxItems:"1500"`
		BySchedule bool       `json:"by_schedule,omitempty" doc:"what the game's schedule says, in place of draws"`
		DryRun     bool       `json:"dry_run,omitempty" doc:"only count"`
	}
}

func (a *API) syncDraws(ctx context.Context, in *syncDrawsInput) (*Data[drawCounts], error) {
	req := &catalog.DrawSync{BySchedule: in.Body.BySchedule, DryRun: in.Body.DryRun, Draws: mapped(in.Body.Draws, func(d drawSpec) catalog.DrawSpec {
		return catalog.DrawSpec{Number: d.DrawNumber, Time: d.DrawTime, SaleStopAt: d.SaleStopAt, OpensAt: d.OpensAt, Status: d.Status}
	})}
	var err error
	if req.From, err = dateOf("from", in.Body.From); err != nil {
		return nil, err
	}
	if req.To, err = dateOf("to", in.Body.To); err != nil {
		return nil, err
	}
	if in.Body.Draws == nil && !in.Body.BySchedule { // a range is emptied by an empty list, not by forgetting it
		return nil, errFormData.WithDetails(missingDetail("draws"))
	}
	counts, err := a.deps.Catalog.SyncDraws(ctx, in.ID, req)
	if err != nil {
		return nil, err
	}
	return data(drawCounts(counts)), nil
}

func dateOf(location, text string) (time.Time, error) {
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return date, errFormData.WithDetails(apperr.Detail{Location: location, Message: "expected a date"})
	}
	return date, nil
}

func missingDetail(location string) apperr.Detail {
	return apperr.Detail{Location: location, Message: "is missing"}
}

func statusDetail() apperr.Detail {
	return apperr.Detail{Location: "status", Message: "expected active or retired"}
}
