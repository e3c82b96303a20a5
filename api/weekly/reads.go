package weekly

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
	"banca/internal/weekly"
)

// tag is the tag of the operations.
const tag = "Settlements"

func (o *operations) registerReads() {
	tags, read := []string{tag}, kit.Can(auth.SettlementsRead)
	kit.HandleFile(o.Registry, huma.Operation{
		OperationID: "list-weekly-settlements", Method: http.MethodGet, Path: "/weekly-settlements", Tags: tags,
		Summary:     "Weekly settlements of the caller's subtree, the newest week first",
		Description: "What an entity with everything below it owes the operator of a week from Monday to Sunday, or is owed, in a currency. A settlement covers all games.",
	}, read, o.list, o.table, ledger.ErrCurrencyNotFound, weekly.ErrRange, weekly.ErrStatusRange, weekly.ErrWeek)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-weekly-settlement", Method: http.MethodGet, Path: "/weekly-settlements/{id}", Tags: tags,
		Summary: "One weekly settlement, with the weeks it restates, its payments and the movements that could pay it",
	}, read, o.get, weekly.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-weekly-settlement-receipt", Method: http.MethodGet, Path: "/weekly-settlements/{id}/receipt",
		Tags:        tags,
		Summary:     "The receipt of a weekly settlement: a picture or printer commands",
		Responses:   kit.PrintResponses("The receipt"),
		Description: "The receipt of a draft is marked as provisional.",
	}, read, o.receipt, receipts.ErrTooLarge, receipts.ErrFormat, weekly.ErrNotFound)
}

type listInput struct {
	kit.PageParams
	kit.FileParams

	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	ParentID string `query:"parent_id" format:"uuid" doc:"only the entities that were directly below this one"`
	Week     string `query:"week" format:"date" doc:"only the week that begins on this Monday"`
	From     string `query:"from" format:"date" doc:"weeks whose Monday is this day or later"`
	To       string `query:"to" format:"date" doc:"weeks whose Monday is this day or earlier"`
	Currency string `query:"currency" maxLength:"36" doc:"only this currency, by its code or id"`
	Status   string `query:"status" enum:"draft,confirmed,carried,paid"`
}

func (in *listInput) filter() *weekly.Filter {
	return &weekly.Filter{
		EntityID: kit.ID(in.EntityID), ParentID: kit.ID(in.ParentID), Week: kit.Day(in.Week), From: kit.Day(in.From),
		To: kit.Day(in.To), Currency: in.Currency,
		Status: in.Status, Limit: in.PageSize, Offset: in.Offset(),
	}
}

func (o *operations) list(ctx context.Context, by caller.Caller, in *listInput) (*kit.List[WeeklySettlement], error) {
	return kit.ListFrom(settlementBody, &in.PageParams)(o.weekly.List(ctx, by, in.filter()))
}

func (o *operations) get(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[settlementDetail], error) {
	found, err := o.weekly.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := o.detail(ctx, found)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(*body), nil
}

// detail reads the lists of a settlement.
func (o *operations) detail(ctx context.Context, found *weekly.Settlement) (*settlementDetail, error) {
	adjustments, err := o.weekly.Adjustments(ctx, found.ID)
	if err != nil {
		return nil, err
	}
	paid, err := o.weekly.Payments(ctx, found.ID)
	if err != nil {
		return nil, err
	}
	payable, err := o.weekly.Payable(ctx, found)
	if err != nil {
		return nil, err
	}
	digits := found.Currency.Digits
	return &settlementDetail{
		WeeklySettlement: settlementBody(*found), AdjustedWeeks: kit.Map(adjustments, adjustmentBody(digits)),
		PaidBy:   kit.Map(paid, paymentBody(digits)),
		CouldPay: kit.Map(payable, paymentBody(digits)),
	}, nil
}

func (o *operations) receipt(ctx context.Context, by caller.Caller, in *kit.PrintByID) (*kit.Print, error) {
	return kit.PrintOf(o.weekly.Receipt(ctx, by, in.ID, in.Format))
}
