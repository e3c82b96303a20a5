package catalog

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
)

func (o *operations) registerDrawPlans() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "sync-draws", Method: http.MethodPost, Path: "/games/{id}/draws/bulk", Tags: []string{"Catalogue"},
		Summary: "Replace a game's draws in a range of dates in one transaction",
		Description: "A draw is named by its local date and its draw_number: missing ones are created, those that differ changed, and those that are not " +
			"named deleted. The days are planned by hand from then on, until by_schedule gives them back. The draws of GET /draws, sent back with their draw_number, draw_time, sale_stop_at, sale_stop_explicit, " +
			"opens_at and status, change nothing, also if another user read them. Draws with tickets can be neither moved nor " +
			"deleted (DRAW_HAS_TICKETS), and those whose sales are over stay as they are (DRAW_NOT_OPEN); each is named as date and number.",
	}, kit.Can(auth.CatalogWrite).Sensitive().Operator(), o.syncDraws,
		catalog.ErrDrawHasTickets, catalog.ErrDrawInUse, catalog.ErrDrawOver, catalog.ErrGameNotFound,
		catalog.ErrInvalidDraws)
}

type drawSpec struct {
	DrawNumber string     `json:"draw_number" minLength:"1" maxLength:"32" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$"`
	DrawTime   time.Time  `json:"draw_time"`
	SaleStopAt *time.Time `json:"sale_stop_at,omitempty" doc:"an explicit stop, for every entity; as long before the draw as the game says where it is left out, and as it is for a draw that has it so at the same draw_time"`
	Explicit   *bool      `json:"sale_stop_explicit,omitempty" doc:"false: sale_stop_at is what GET /draws answered for the caller, and is ignored; true: it is explicit; left out: it is explicit, but a draw that has the same inherited stop stays as it is"`
	OpensAt    *time.Time `json:"opens_at,omitempty" doc:"when a scheduled one is put on sale"`
	Status     string     `json:"status,omitempty" enum:"scheduled,open" doc:"where it is left out, a new one is open, or scheduled when it has an opens_at; one that loses its opens_at is open"`
}

// spec maps a draw of a request, at its place i in the list.
func (d *drawSpec) spec(i int) (catalog.DrawSpec, error) {
	spec := catalog.DrawSpec{Number: d.DrawNumber, Time: d.DrawTime, Status: d.Status}
	if d.OpensAt != nil {
		spec.OpensAt = *d.OpensAt
	}
	explicit := d.Explicit == nil || *d.Explicit
	switch {
	case explicit && d.SaleStopAt != nil:
		spec.SaleStopAt, spec.KeepEqualStop = *d.SaleStopAt, d.Explicit == nil
	case explicit && d.Explicit != nil:
		return spec, kit.ErrInvalid.WithDetails(missingDetail(fmt.Sprintf("draws[%d].sale_stop_at", i)))
	}
	return spec, nil
}

type drawCounts struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
	Kept      int `json:"kept" doc:"that are over, or that a changed schedule left alone because tickets were sold on them"`
}

type syncDrawsInput struct {
	kit.ByID
	Body struct {
		From       string     `json:"from" format:"date" doc:"first local date"`
		To         string     `json:"to" format:"date" doc:"last local date; at most 366 days"`
		Draws      []drawSpec `json:"draws,omitempty" maxItems:"1500"`
		BySchedule bool       `json:"by_schedule,omitempty" doc:"what the game's schedule says, in place of draws"`
		DryRun     bool       `json:"dry_run,omitempty" doc:"only count"`
	}
}

func (o *operations) syncDraws(
	ctx context.Context, _ caller.Caller, in *syncDrawsInput,
) (*kit.Data[drawCounts], error) {
	req := &catalog.DrawSync{BySchedule: in.Body.BySchedule, DryRun: in.Body.DryRun, Draws: make([]catalog.DrawSpec, len(in.Body.Draws))}
	var err error
	for i := range in.Body.Draws {
		if req.Draws[i], err = in.Body.Draws[i].spec(i); err != nil {
			return nil, err
		}
	}
	if req.From, err = dateOf("from", in.Body.From); err != nil {
		return nil, err
	}
	if req.To, err = dateOf("to", in.Body.To); err != nil {
		return nil, err
	}
	if in.Body.Draws == nil && !in.Body.BySchedule { // a range is emptied by an empty list, not by forgetting it
		return nil, kit.ErrInvalid.WithDetails(missingDetail("draws"))
	}
	counts, err := o.catalog.SyncDraws(ctx, in.ID, req)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(drawCounts(counts)), nil
}

func dateOf(location, text string) (businessday.Day, error) {
	date, err := businessday.Parse(text)
	if err != nil {
		return date, kit.ErrInvalid.WithDetails(apperr.Detail{Location: location, Message: "expected a date"})
	}
	return date, nil
}

func missingDetail(location string) apperr.Detail {
	return apperr.Detail{Location: location, Message: "is missing"}
}

func statusDetail() apperr.Detail {
	return apperr.Detail{Location: "status", Message: "expected active or retired"}
}
