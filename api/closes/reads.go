package closes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
)

func (o *operations) registerReads() {
	tags := []string{"Closes"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-daily-closes", Method: http.MethodGet, Path: "/sales/daily-closes", Tags: tags,
		Summary:     "Daily closes of the caller's subtree, newest first",
		Description: "The totals of an open day are current.",
	}, kit.Can(auth.ClosesRead), o.list, closes.ErrRange, ledger.ErrCurrencyNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-missing-closes", Method: http.MethodGet, Path: "/sales/daily-closes/missing", Tags: tags,
		Summary: "Ticket points that have not closed a day",
	}, kit.Can(auth.ClosesRead), o.missing, closes.ErrEntityNotFound, closes.ErrFuture)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-daily-close", Method: http.MethodGet, Path: "/sales/daily-closes/{id}", Tags: tags,
		Summary: "One daily close",
	}, kit.Can(auth.ClosesRead), o.get, closes.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-daily-close-receipt", Method: http.MethodGet, Path: "/sales/daily-closes/{id}/receipt",
		Tags:      tags,
		Summary:   "The receipt of a daily close: a picture or printer commands",
		Responses: kit.PrintResponses("The receipt"),
	}, kit.Can(auth.ClosesRead), o.receipt, closes.ErrNotFound, receipts.ErrTooLarge, receipts.ErrFormat)
}

type listInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	Currency string `query:"currency" maxLength:"36" doc:"only this currency, by its code or id"`
	Status   string `query:"status" enum:"open,closed"`
	Date     string `query:"date" format:"date" doc:"only this business day"`
	From     string `query:"from" format:"date" doc:"the first business day"`
	To       string `query:"to" format:"date" doc:"the last business day"`
}

func (o *operations) list(ctx context.Context, by caller.Caller, in *listInput) (*kit.List[dailyClose], error) {
	f := &closes.Filter{
		EntityID: kit.ID(in.EntityID), Currency: in.Currency, Status: in.Status, From: kit.Day(in.From),
		To: kit.Day(in.To), Limit: in.PageSize, Offset: in.Offset(),
	}
	if in.Date != "" {
		f.From, f.To = kit.Day(in.Date), kit.Day(in.Date)
	}
	return kit.ListFrom(closeBody, &in.PageParams)(o.closes.List(ctx, by, f))
}

type missingInput struct {
	EntityID string `query:"entityId" format:"uuid" doc:"only the ticket points of this entity and below it"`
	Date     string `query:"date" format:"date" doc:"the business day; today when left out"`
}

func (o *operations) missing(ctx context.Context, by caller.Caller, in *missingInput) (*kit.List[missingClose], error) {
	list, err := o.closes.Missing(ctx, by, kit.ID(in.EntityID), kit.Day(in.Date))
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(list, missingBody)), nil
}

func (o *operations) get(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[dailyClose], error) {
	return kit.DataFrom(closeBody)(o.closes.Get(ctx, by, in.ID))
}

func (o *operations) receipt(ctx context.Context, by caller.Caller, in *kit.PrintByID) (*kit.Print, error) {
	return kit.PrintOf(o.closes.Receipt(ctx, by, in.ID, in.Format))
}
