package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/caller"
	"banca/internal/reports"
)

type summaryInput struct {
	EntityParams
	PeriodParams
	kit.FileParams

	Currency string `query:"currency" maxLength:"36" example:"VES" doc:"code or id; all currencies without it"`
}

type salesSummary struct {
	Entity     reportEntity      `json:"entity"`
	From       string            `json:"from" format:"date"`
	To         string            `json:"to" format:"date"`
	AsOf       *time.Time        `json:"as_of" doc:"events up to this time are counted; null if none was ever counted"`
	Currencies []currencyFigures `json:"currencies" nullable:"false"`
}

type currencyFigures struct {
	Currency string `json:"currency" example:"VES"`
	Figures
}

func (o *operations) summary(ctx context.Context, by caller.Caller, in *summaryInput) (*kit.Data[salesSummary], error) {
	list, err := o.reports.Summary(ctx, by, filterOf(&in.EntityParams, &in.PeriodParams, in.Currency))
	if err != nil {
		return nil, err
	}
	body := salesSummary{
		Entity: entityBody(&list.Entity), From: list.From.String(), To: list.To.String(), AsOf: kit.Optional(list.AsOf),
		Currencies: make([]currencyFigures, len(list.Totals)),
	}
	for i := range list.Totals {
		t := &list.Totals[i]
		body.Currencies[i] = currencyFigures{Currency: t.Currency.Code, Figures: figuresBody(&t.Figures, t.Currency.Digits)}
	}
	return kit.DataOf(body), nil
}

type salesInput struct {
	ReportInput

	GroupBy string `query:"group_by" enum:"total,entity,game,day,draw" default:"total"`
}

type salesReport struct {
	Head
	Total Figures    `json:"total"`
	Rows  []salesRow `json:"rows" nullable:"false"`
}

type salesRow struct {
	ID         *uuid.UUID `json:"id" doc:"of the entity, game or draw; null for a day"`
	Name       string     `json:"name" doc:"of the entity or game; number of the draw"`
	Code       string     `json:"code" doc:"of the entity or game"`
	EntityType string     `json:"entity_type" doc:"of the entity"`
	Date       string     `json:"date" doc:"business day of a row by day"`
	DrawTime   *time.Time `json:"draw_time" doc:"of a row by draw"`
	Figures
}

func (o *operations) sales(ctx context.Context, by caller.Caller, in *salesInput) (*kit.Data[salesReport], error) {
	report, err := o.reports.Sales(ctx, by, in.filter(), in.GroupBy)
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(salesReport{
		Head: headBody(&report.Head), Total: figuresBody(&report.Total, digits),
		Rows: kit.Map(report.Rows, func(r reports.SalesRow) salesRow {
			return salesRow{
				ID: kit.Optional(r.ID), Name: r.Name, Code: r.Code, EntityType: r.EntityType, Date: r.Day.String(), DrawTime: kit.Optional(r.DrawTime),
				Figures: figuresBody(&r.Figures, digits),
			}
		}),
	}), nil
}
