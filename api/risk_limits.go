package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/money"
	"banca/internal/risk"
)

func (a *API) registerRiskLimits() {
	tags := []string{"Risk"}
	handle(a, huma.Operation{
		OperationID: "list-limits", Method: http.MethodGet, Path: "/risk/limits", Tags: tags, Summary: "Limits of the caller's subtree, by entity",
	}, Can(auth.RiskRead), a.listLimits)
	handle(a, huma.Operation{
		OperationID: "create-limit", Method: http.MethodPost, Path: "/risk/limits", Tags: tags, Summary: "Make a limit for an entity and all below it",
		Description: "What is left out means any. A limit that names a draw holds at once, others within seconds. A base of 0 blocks, unless pct is above 0: then the limit slides with the draw's sales alone.",
	}, Can(auth.RiskWrite).Sensitive(), a.createLimit)
	handle(a, huma.Operation{
		OperationID: "get-limit", Method: http.MethodGet, Path: "/risk/limits/{id}", Tags: tags, Summary: "One limit",
	}, Can(auth.RiskRead), a.getLimit)
	handle(a, huma.Operation{
		OperationID: "change-limit", Method: http.MethodPut, Path: "/risk/limits/{id}", Tags: tags, Summary: "Give a limit other amounts",
	}, Can(auth.RiskWrite).Sensitive(), a.changeLimit)
	handle(a, huma.Operation{
		OperationID: "delete-limit", Method: http.MethodDelete, Path: "/risk/limits/{id}", Tags: tags, Summary: "Take a limit away",
	}, Can(auth.RiskWrite).Sensitive(), a.deleteLimit)
	handle(a, huma.Operation{
		OperationID: "list-blocks", Method: http.MethodGet, Path: "/risk/blocks", Tags: tags, Summary: "Elements that are blocked in draws",
	}, Can(auth.RiskRead), a.listBlocks)
	handle(a, huma.Operation{
		OperationID: "block-element", Method: http.MethodPost, Path: "/risk/blocks", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary:     "Sell nothing more on an element of a draw, at once and in every process",
		Description: "For an entity and all below it. Blocking what is blocked changes the reason only. One limit a currency is the answer.",
	}, Can(auth.RiskWrite).Sensitive(), a.blockElement)
	handle(a, huma.Operation{
		OperationID: "unblock-element", Method: http.MethodDelete, Path: "/risk/blocks/{id}", Tags: tags, Summary: "Sell a blocked element again",
	}, Can(auth.RiskWrite).Sensitive(), a.unblockElement)
}

type limit struct {
	ID         uuid.UUID  `json:"id"`
	EntityID   uuid.UUID  `json:"entityId"`
	EntityName string     `json:"entity_name"`
	Level      string     `json:"level" doc:"type of the entity"`
	CurrencyID uuid.UUID  `json:"currency_id"`
	Currency   string     `json:"currency" example:"VES"`
	CategoryID *uuid.UUID `json:"category_id" doc:"null means any, as with what follows"`
	GameID     *uuid.UUID `json:"game_id"`
	DrawID     *uuid.UUID `json:"draw_id"`
	Element    *string    `json:"element"`
	BetType    *string    `json:"bet_type"`
	Metric     string     `json:"metric" enum:"stake,liability"`
	Base       Decimal    `json:"base" doc:"0 blocks, unless pct is above 0"`
	Pct        string     `json:"pct" doc:"percent of the draw's sales at the entity, added to base" example:"2.50"`
	Reason     string     `json:"reason"`
	CreatedBy  *uuid.UUID `json:"created_by"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

func limitBody(l risk.Limit) limit {
	return limit{
		ID: l.ID, EntityID: l.EntityID, EntityName: l.Entity, Level: l.EntityType, CurrencyID: l.Currency.ID, Currency: l.Currency.Code,
		CategoryID: given(l.CategoryID), GameID: given(l.GameID), DrawID: given(l.DrawID), Element: given(l.Element), BetType: given(l.BetType),
		Metric: l.Metric, Base: decimal(l.Base, l.Currency.Digits), Pct: money.Amount(l.Pct).Format(2), Reason: l.Reason, CreatedBy: given(l.CreatedBy),
		CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

func riskCaller(ctx context.Context) risk.Caller {
	p := middleware.PrincipalFrom(ctx)
	return risk.Caller{UserID: p.UserID, EntityID: p.EntityID, Scope: p.EntityPath}
}

type limitsInput struct {
	PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	DrawID   string `query:"draw_id" format:"uuid" doc:"only what names this draw"`
}

func (in *limitsInput) filter(ctx context.Context, blocks bool) *risk.LimitFilter {
	f := &risk.LimitFilter{Scope: middleware.PrincipalFrom(ctx).EntityPath, Blocks: blocks, Limit: in.PageSize, Offset: in.Offset()}
	f.EntityID, _ = uuid.Parse(in.EntityID) // the format was checked; empty is none
	f.DrawID, _ = uuid.Parse(in.DrawID)     // as above
	return f
}

func (a *API) listLimits(ctx context.Context, in *limitsInput) (*List[limit], error) {
	found, total, err := a.deps.Limits.Limits(ctx, in.filter(ctx, false))
	if err != nil {
		return nil, err
	}
	return list(mapped(found, limitBody), &in.PageParams, total), nil
}

func (a *API) listBlocks(ctx context.Context, in *limitsInput) (*List[limit], error) {
	found, total, err := a.deps.Limits.Limits(ctx, in.filter(ctx, true))
	if err != nil {
		return nil, err
	}
	return list(mapped(found, limitBody), &in.PageParams, total), nil
}

type createLimitInput struct {
	Body struct {
		EntityID   uuid.UUID    `json:"entityId,omitempty" doc:"the caller's own entity when left out"`
		Currency   string       `json:"currency" maxLength:"36" doc:"code or id" example:"VES"`
		CategoryID uuid.UUID    `json:"category_id,omitempty"`
		GameID     uuid.UUID    `json:"game_id,omitempty"`
		DrawID     uuid.UUID    `json:"draw_id,omitempty"`
		Element    string       `json:"element,omitempty" maxLength:"8"`
		BetType    string       `json:"bet_type,omitempty" maxLength:"32"`
		Metric     string       `json:"metric" enum:"stake,liability"`
		Base       DecimalInput `json:"base" doc:"at least 0" example:"5000.00"`
		Pct        DecimalInput `json:"pct,omitempty"`
		Reason     string       `json:"reason,omitempty" maxLength:"300"`
	}
}

func (a *API) createLimit(ctx context.Context, in *createLimitInput) (*Created[limit], error) {
	b := &in.Body
	made, err := a.deps.Limits.Create(ctx, &risk.LimitRequest{
		Caller: riskCaller(ctx), EntityID: b.EntityID, Currency: b.Currency, CategoryID: b.CategoryID, GameID: b.GameID, DrawID: b.DrawID,
		Element: b.Element, BetType: b.BetType, Metric: b.Metric, Base: string(b.Base), Pct: string(b.Pct), Reason: b.Reason,
	})
	if err != nil {
		return nil, err
	}
	return created(limitBody(*made), a.deps.BasePath+"/risk/limits/"+made.ID.String()), nil
}

func (a *API) getLimit(ctx context.Context, in *LimitParams) (*Data[limit], error) {
	found, err := a.deps.Limits.Limit(ctx, middleware.PrincipalFrom(ctx).EntityPath, in.ID)
	if err != nil {
		return nil, err
	}
	return data(limitBody(*found)), nil
}

// LimitParams names a limit. It is exported because huma looks into exported embedded structs only.
type LimitParams struct {
	ID uuid.UUID `path:"id"`
}

type changeLimitInput struct {
	LimitParams
	Body struct {
		Base   DecimalInput `json:"base" doc:"at least 0" example:"5000.00"`
		Pct    DecimalInput `json:"pct,omitempty"`
		Reason string       `json:"reason,omitempty" maxLength:"300"`
	}
}

func (a *API) changeLimit(ctx context.Context, in *changeLimitInput) (*Data[limit], error) {
	c := riskCaller(ctx)
	changed, err := a.deps.Limits.Change(ctx, &c, in.ID, string(in.Body.Base), string(in.Body.Pct), in.Body.Reason)
	if err != nil {
		return nil, err
	}
	return data(limitBody(*changed)), nil
}

func (a *API) deleteLimit(ctx context.Context, in *LimitParams) (*Data[deleted], error) {
	c := riskCaller(ctx)
	return gone(in.ID.String(), a.deps.Limits.Remove(ctx, &c, in.ID))
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
	Body     Page[limit]
}

func (a *API) blockElement(ctx context.Context, in *blockInput) (*blocked, error) {
	b := &in.Body
	made, err := a.deps.Limits.Block(ctx, &risk.BlockRequest{
		Caller: riskCaller(ctx), DrawID: b.DrawID, Element: b.Element, EntityID: b.EntityID, Currency: b.Currency, Reason: b.Reason,
	})
	if err != nil {
		return nil, err
	}
	return &blocked{Location: a.deps.BasePath + "/risk/blocks?draw_id=" + b.DrawID.String(), Body: all(mapped(made, limitBody)).Body}, nil
}

func (a *API) unblockElement(ctx context.Context, in *LimitParams) (*Data[deleted], error) {
	c := riskCaller(ctx)
	_, err := a.deps.Limits.Unblock(ctx, &c, in.ID)
	return gone(in.ID.String(), err)
}
