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
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

func (o *operations) registerList() {
	tags := []string{"Catalogue"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-draw", Method: http.MethodGet, Path: "/draws/{id}", Tags: tags,
		Summary: "One draw, as it was within the last seconds",
	}, kit.Can(auth.CatalogRead), o.getDraw, catalog.ErrDrawNotFound, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-draws", Method: http.MethodGet, Path: "/draws", Tags: tags,
		Summary: "Draws by time; an open one can be sold until its sale_stop_at",
	}, kit.Can(auth.CatalogRead), o.listDraws, money.ErrAmount, org.ErrEntityNotFound)
}

type draw struct {
	ID         uuid.UUID  `json:"id"`
	GameID     uuid.UUID  `json:"game_id"`
	DrawNumber string     `json:"draw_number" doc:"unique per game and business day"`
	DrawTime   time.Time  `json:"draw_time"`
	LocalDate  string     `json:"local_date" format:"date" doc:"its business day"`
	SaleStopAt time.Time  `json:"sale_stop_at" doc:"when sales stop for the caller's entity: as the draw says, else as its game does, else as the entity inherits"`
	Explicit   bool       `json:"sale_stop_explicit" doc:"whether sale_stop_at was given for this draw, and so holds for every entity"`
	OpensAt    *time.Time `json:"opens_at" doc:"when a scheduled one is put on sale; null where a person does it"`
	Status     string     `json:"status" enum:"scheduled,open,closed,resulted,settled,suspended"`
}

type drawsInput struct {
	kit.PageParams
	Status string    `query:"status" enum:"scheduled,open,closed,resulted,settled,suspended"`
	GameID uuid.UUID `query:"game_id"`
	Date   string    `query:"date" format:"date" doc:"a business day" example:"2026-11-20"`
	From   string    `query:"from" format:"date" doc:"the first business day"`
	To     string    `query:"to" format:"date" doc:"the last business day"`
	Sort   string    `query:"sort" enum:"draw_time,-draw_time" default:"draw_time"`
}

func (o *operations) listDraws(ctx context.Context, by caller.Caller, in *drawsInput) (*kit.List[draw], error) {
	stop, err := o.callerStop(ctx, by)
	if err != nil {
		return nil, err
	}
	draws, total, err := o.catalog.Draws(ctx, catalog.DrawFilter{
		Status: in.Status, GameID: in.GameID, Date: kit.Day(in.Date), From: kit.Day(in.From), To: kit.Day(in.To),
		Stop: stop, Latest: in.Sort == "-draw_time",
		Limit: in.PageSize, Offset: in.Offset(),
	})
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(draws, func(d *catalog.Draw) draw { return drawBody(d, stop) }), &in.PageParams, total), nil
}

func (o *operations) getDraw(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[draw], error) {
	return o.drawFor(ctx, by, in.ID)
}

// drawFor returns a draw as its sales stop for the caller.
func (o *operations) drawFor(ctx context.Context, by caller.Caller, id uuid.UUID) (*kit.Data[draw], error) {
	d, err := o.catalog.Draw(ctx, id)
	if err != nil {
		return nil, err
	}
	stop, err := o.callerStop(ctx, by)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(drawBody(d, stop)), nil
}

// callerStop returns how long before a draw sales stop for the caller's entity, if neither draw nor game sets a stop.
func (o *operations) callerStop(ctx context.Context, by caller.Caller) (time.Duration, error) {
	chain, err := o.entities.Chain(ctx, by.EntityID)
	if err != nil {
		return 0, err
	}
	return chain.SaleStop(), nil
}

// drawBody maps a draw for a seller with an inherited stop.
func drawBody(d *catalog.Draw, stop time.Duration) draw {
	return draw{
		ID: d.ID, GameID: d.GameID, DrawNumber: d.Number, LocalDate: d.LocalDate.String(), DrawTime: d.Time,
		SaleStopAt: d.StopFor(stop), Explicit: d.StopExplicit, OpensAt: kit.Optional(d.OpensAt), Status: d.Status,
	}
}
