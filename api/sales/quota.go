package sales

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/reports"
	"banca/internal/sales"
)

func (o *operations) registerQuota() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-sales-quota", Method: http.MethodGet, Path: "/sales/quota", Tags: []string{"Sales"},
		Summary: "What a ticket point's wallet still covers, and what it sold today",
		Description: "To be read after each sale. A sale needs its total less the ticket point's own commission. " +
			"`sold_today` is of the totals, which are some seconds behind; it needs the permission `reports:read`.",
	}, kit.Can(auth.SalesSell), o.getQuota,
		ledger.ErrCurrencyNotFound, org.ErrCannotSell, org.ErrEntityNotFound, sales.ErrNotTicketPoint)
}

type quotaInput struct {
	DeskParams
}

type quota struct {
	Entity      deskEntity   `json:"entity"`
	Currency    deskCurrency `json:"currency"`
	Available   *kit.Decimal `json:"available" doc:"what the wallet still covers: balance and credit limit, not below 0; 0 if the wallet is not active, null if it is not limited"`
	Balance     kit.Decimal  `json:"balance"`
	CreditLimit kit.Decimal  `json:"credit_limit"`
	SoldToday   *soldToday   `json:"sold_today" doc:"null without the permission reports:read"`
}

type soldToday struct {
	Amount  kit.Decimal `json:"amount" doc:"sales of today less cancellations and refunds"`
	Tickets int64       `json:"tickets" doc:"sold less those that were cancelled today"`
	AsOf    *time.Time  `json:"as_of" doc:"what happened up to this time is counted; null before the first count"`
}

func (o *operations) getQuota(ctx context.Context, by caller.Caller, in *quotaInput) (*kit.Data[quota], error) {
	q, err := o.sales.Quota(ctx, by, in.desk(by))
	if err != nil {
		return nil, err
	}
	digits := q.Currency.Digits
	body := quota{
		Entity: deskEntityBody(&q.Seller), Currency: deskCurrencyBody(&q.Currency),
		Balance: kit.DecimalOf(q.Balance, digits), CreditLimit: kit.DecimalOf(q.CreditLimit, digits),
	}
	if !q.Unlimited {
		available := kit.DecimalOf(q.Available, digits)
		body.Available = &available
	}
	if by.May(auth.ReportsRead) {
		sum, err := o.reports.Summary(ctx, by, &reports.Filter{EntityID: q.Seller.ID, Currency: q.Currency.ID.String()})
		if err != nil {
			return nil, err
		}
		t := &sum.Totals[0] // of the named currency
		body.SoldToday = &soldToday{
			Amount: kit.DecimalOf(t.NetSales(), digits), Tickets: t.Tickets - t.VoidedTickets,
			AsOf: kit.Optional(sum.AsOf.UTC()),
		}
	}
	return kit.DataOf(body), nil
}
