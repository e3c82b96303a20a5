package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/platform/caller"
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
		body.Currencies[i] = currencyFigures{
			Currency: t.Currency.Code, Figures: figuresBody(&t.Figures, t.Currency.Digits),
		}
	}
	return kit.DataOf(body), nil
}

type salesInput struct {
	ReportInput

	GroupBy string `query:"group_by" enum:"total,entity,game,day,draw,means" default:"total"`
}

type salesReport struct {
	Head
	Total salesFigures `json:"total"`
	Rows  []salesRow   `json:"rows" nullable:"false"`
}

type salesRow struct {
	ID         *uuid.UUID `json:"id" doc:"of the entity, game or draw; null for a day"`
	Name       string     `json:"name" doc:"of the entity or game; number of the draw"`
	Code       string     `json:"code" doc:"of the entity or game"`
	EntityType string     `json:"entity_type" doc:"of the entity"`
	Date       string     `json:"date" doc:"business day of a row by day"`
	DrawTime   *time.Time `json:"draw_time" doc:"of a row by draw"`

	Means         string       `json:"means,omitempty" enum:"cash,card,mobile" doc:"of a row by means"`
	MeansCurrency string       `json:"means_currency,omitempty" example:"USD" doc:"in which it was paid"`
	MeansAmount   *kit.Decimal `json:"means_amount,omitempty" doc:"in means_currency, less change and cancelled tickets"`
	Figures
	Accrued
}

// salesFigures are the figures of the report of sales.
type salesFigures struct {
	Figures
	Accrued
}

// Accrued is the participation as it arises, before losses of earlier weeks, modes and adjustments.
type Accrued struct {
	Participation kit.Decimal `json:"participation" doc:"accrued: the current rate times net_balance, negative for a loss; the rate of the row's entity in rows by entity, else of the report's entity; for the operator the rate it grants"`
	Net           kit.Decimal `json:"net" doc:"net_balance less participation"`
}

func accruedBody(a *reports.Accrued, digits int) Accrued {
	return Accrued{Participation: kit.DecimalOf(a.Participation, digits), Net: kit.DecimalOf(a.Net, digits)}
}

func (o *operations) sales(ctx context.Context, by caller.Caller, in *salesInput) (*kit.Data[salesReport], error) {
	report, err := o.reports.Sales(ctx, by, in.filter(), in.GroupBy)
	if err != nil {
		return nil, err
	}
	digits := report.Currency.Digits
	return kit.DataOf(salesReport{
		Head:  headBody(&report.Head),
		Total: salesFigures{Figures: figuresBody(&report.Total, digits), Accrued: accruedBody(&report.Accrued, digits)},
		Rows: kit.Map(report.Rows, func(r reports.SalesRow) salesRow {
			row := salesRow{
				ID: kit.Optional(r.ID), Name: r.Name, Code: r.Code, EntityType: r.EntityType, Date: r.Day.String(),
				DrawTime: kit.Optional(r.DrawTime),
				Figures:  figuresBody(&r.Figures, digits), Accrued: accruedBody(&r.Accrued, digits),
			}
			if r.Means != "" {
				amount := kit.DecimalOf(r.Amount, r.Currency.Digits)
				row.Means, row.MeansCurrency, row.MeansAmount = r.Means, r.Currency.Code, &amount
			}
			return row
		}),
	}), nil
}
