package risk

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
)

func (o *operations) registerRiskLimits() {
	tags := []string{"Risk"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-limits", Method: http.MethodGet, Path: "/risk/limits", Tags: tags,
		Summary: "Limits of the caller's subtree, by entity",
	}, kit.Can(auth.RiskRead), o.listLimits)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-limit", Method: http.MethodPost, Path: "/risk/limits", Tags: tags,
		Summary:     "Make a limit for an entity and all below it",
		Description: "Omitted fields match everything. Limits on a draw apply immediately, others within seconds. A base of 0 blocks, unless pct is above 0: then the limit slides with the draw's sales alone.",
	}, kit.Can(auth.RiskWrite).Sensitive(), o.createLimit,
		drawErrors(risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove,
			risk.ErrUnavailable)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-limit", Method: http.MethodGet, Path: "/risk/limits/{id}", Tags: tags, Summary: "One limit",
	}, kit.Can(auth.RiskRead), o.getLimit, risk.ErrLimitNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "change-limit", Method: http.MethodPut, Path: "/risk/limits/{id}", Tags: tags,
		Summary: "Give a limit other amounts",
	}, kit.Can(auth.RiskWrite).Sensitive(), o.changeLimit,
		money.ErrNegative, risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove,
		risk.ErrUnavailable)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-limit", Method: http.MethodDelete, Path: "/risk/limits/{id}", Tags: tags,
		Summary: "Take a limit away",
	}, kit.Can(auth.RiskWrite).Sensitive(), o.deleteLimit,
		risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove, risk.ErrUnavailable)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-blocks", Method: http.MethodGet, Path: "/risk/blocks", Tags: tags,
		Summary: "Elements that are blocked in draws",
	}, kit.Can(auth.RiskRead), o.listBlocks)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "block-element", Method: http.MethodPost, Path: "/risk/blocks", Tags: tags,
		DefaultStatus: http.StatusCreated,
		Summary:       "Sell nothing more on an element of a draw, at once and in every process",
		Description:   "Applies to an entity and its subtree. A repeat changes the reason only. Returns one limit per currency.",
	}, kit.Can(auth.RiskWrite).Sensitive(), o.blockElement,
		drawErrors(risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrReasonMissing, risk.ErrUnavailable,
			risk.ErrUnknownElement)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "unblock-element", Method: http.MethodDelete, Path: "/risk/blocks/{id}", Tags: tags,
		Summary: "Sell a blocked element again",
	}, kit.Can(auth.RiskWrite).Sensitive(), o.unblockElement,
		risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove, risk.ErrUnavailable)
}

type limit struct {
	ID         uuid.UUID   `json:"id"`
	EntityID   uuid.UUID   `json:"entityId"`
	EntityName string      `json:"entity_name"`
	Level      string      `json:"level" doc:"type of the entity"`
	CurrencyID uuid.UUID   `json:"currency_id"`
	Currency   string      `json:"currency" example:"VES"`
	CategoryID *uuid.UUID  `json:"category_id" doc:"null means any, as with what follows"`
	GameID     *uuid.UUID  `json:"game_id"`
	DrawID     *uuid.UUID  `json:"draw_id"`
	Element    *string     `json:"element"`
	BetType    *string     `json:"bet_type"`
	Metric     string      `json:"metric" enum:"stake,liability"`
	Base       kit.Decimal `json:"base" doc:"0 blocks, unless pct is above 0"`
	Pct        string      `json:"pct" doc:"percent of the draw's sales at the entity, added to base" example:"2.50"`
	Reason     string      `json:"reason"`
	CreatedBy  *uuid.UUID  `json:"created_by"`
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  time.Time   `json:"updated_at"`
}

func limitBody(l risk.Limit) limit {
	return limit{
		ID: l.ID, EntityID: l.EntityID, EntityName: l.Entity, Level: l.EntityType, CurrencyID: l.Currency.ID,
		Currency:   l.Currency.Code,
		CategoryID: kit.Optional(l.CategoryID), GameID: kit.Optional(l.GameID), DrawID: kit.Optional(l.DrawID),
		Element: kit.Optional(l.Element), BetType: kit.Optional(l.BetType),
		Metric: l.Metric, Base: kit.DecimalOf(l.Base, l.Currency.Digits), Pct: money.Amount(l.Pct).Format(2),
		Reason: l.Reason, CreatedBy: kit.Optional(l.CreatedBy),
		CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

type limitsInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	DrawID   string `query:"draw_id" format:"uuid" doc:"only what names this draw"`
}

func (in *limitsInput) filter(blocks bool) *risk.LimitFilter {
	return &risk.LimitFilter{
		EntityID: kit.ID(in.EntityID), DrawID: kit.ID(in.DrawID), Blocks: blocks, Limit: in.PageSize,
		Offset: in.Offset(),
	}
}

func (o *operations) listLimits(ctx context.Context, by caller.Caller, in *limitsInput) (*kit.List[limit], error) {
	return kit.ListFrom(limitBody, &in.PageParams)(o.limits.Limits(ctx, by, in.filter(false)))
}

func (o *operations) listBlocks(ctx context.Context, by caller.Caller, in *limitsInput) (*kit.List[limit], error) {
	return kit.ListFrom(limitBody, &in.PageParams)(o.limits.Limits(ctx, by, in.filter(true)))
}

type createLimitInput struct {
	Body struct {
		EntityID   uuid.UUID        `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Currency   string           `json:"currency" maxLength:"36" doc:"code or id" example:"VES"`
		CategoryID uuid.UUID        `json:"category_id,omitempty"`
		GameID     uuid.UUID        `json:"game_id,omitempty"`
		DrawID     uuid.UUID        `json:"draw_id,omitempty"`
		Element    string           `json:"element,omitempty" maxLength:"8"`
		BetType    string           `json:"bet_type,omitempty" maxLength:"32"`
		Metric     string           `json:"metric" enum:"stake,liability"`
		Base       kit.DecimalInput `json:"base" doc:"at least 0" example:"5000.00"`
		Pct        kit.DecimalInput `json:"pct,omitempty"`
		Reason     string           `json:"reason,omitempty" maxLength:"300"`
	}
}

func (o *operations) createLimit(
	ctx context.Context, by caller.Caller, in *createLimitInput,
) (*kit.Created[limit], error) {
	b := &in.Body
	made, err := o.limits.Create(ctx, by, &risk.LimitRequest{
		EntityID: b.EntityID, Currency: b.Currency, CategoryID: b.CategoryID, GameID: b.GameID, DrawID: b.DrawID,
		Element: b.Element, BetType: b.BetType, Metric: b.Metric, Base: string(b.Base), Pct: string(b.Pct),
		Reason: b.Reason,
	})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(limitBody(*made), o.BasePath+"/risk/limits/"+made.ID.String()), nil
}

func (o *operations) getLimit(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[limit], error) {
	return kit.DataFrom(limitBody)(o.limits.Limit(ctx, by, in.ID))
}

type changeLimitInput struct {
	kit.ByID
	Body struct {
		Base   kit.DecimalInput `json:"base" doc:"at least 0" example:"5000.00"`
		Pct    kit.DecimalInput `json:"pct,omitempty"`
		Reason string           `json:"reason,omitempty" maxLength:"300"`
	}
}

func (o *operations) changeLimit(
	ctx context.Context, by caller.Caller, in *changeLimitInput,
) (*kit.Data[limit], error) {
	return kit.DataFrom(limitBody)(o.limits.Change(ctx, by, in.ID, string(in.Body.Base), string(in.Body.Pct), in.Body.Reason))
}

func (o *operations) deleteLimit(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.limits.Remove(ctx, by, in.ID))
}

type blockInput struct {
	Body struct {
		DrawID   uuid.UUID `json:"draw_id"`
		Element  string    `json:"element" minLength:"1" maxLength:"8" doc:"a code as it is bet on: of an animal, a number, a sign" example:"5"`
		EntityID uuid.UUID `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Currency string    `json:"currency,omitempty" maxLength:"36" doc:"code or id; every active one when left out"`
		Reason   string    `json:"reason" minLength:"1" maxLength:"300"`
	}
}

// blocked is the answer to a block: the limits it made, and where they are listed.
type blocked struct {
	Location string `header:"Location"`
	Body     kit.Page[limit]
}

func (o *operations) blockElement(ctx context.Context, by caller.Caller, in *blockInput) (*blocked, error) {
	b := &in.Body
	made, err := o.limits.Block(ctx, by, &risk.BlockRequest{
		DrawID: b.DrawID, Element: b.Element, EntityID: b.EntityID, Currency: b.Currency, Reason: b.Reason,
	})
	if err != nil {
		return nil, err
	}
	return &blocked{Location: o.BasePath + "/risk/blocks?draw_id=" + b.DrawID.String(), Body: kit.AllOf(kit.Map(made, limitBody)).Body}, nil
}

func (o *operations) unblockElement(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[kit.Deleted], error) {
	_, err := o.limits.Unblock(ctx, by, in.ID)
	return kit.DeletedOf(in.ID.String(), err)
}
