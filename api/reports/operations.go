// Package reports has the operations on sales, prizes and results of a period.
package reports

import (
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/months"
	"banca/internal/reports"
)

type operations struct {
	*kit.Registry

	reports *reports.Service
}

// Register adds the operations.
func Register(r *kit.Registry, service *reports.Service) {
	o := &operations{Registry: r, reports: service}
	tags := []string{"Reports"}
	common := []*apperr.Error{
		reports.ErrPeriodReversed, reports.ErrPeriodTooLong, org.ErrEntityNotFound, ledger.ErrCurrencyNotFound,
	}
	games := append(slices.Clip(common), catalog.ErrCategoryNotFound, catalog.ErrGameNotFound)
	add := func(id, path, summary, description string) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: path, Tags: tags, Summary: summary, Description: description,
		}
	}
	kit.HandleFile(r, add("sales-summary", "/sales/summary", "Totals of sales, prizes, commissions and the rest",
		"Each event counts on the business day on which it happened: a cancellation, a refund or a payment of a later day changes no earlier day. Without dates it is about today. "+
			"Without a currency it has a total for each currency with figures."),
		kit.Can(auth.ReportsRead), o.summary, o.summaryTable, common...)
	kit.HandleFile(r, add("report-sales", "/reports/sales", "Sales, prizes and commissions, grouped by entity, game, day, draw or means",
		"The rows sum to the total. `group_by=entity` lists the entities one level below, so the report leads down to a ticket point; `game` leads to `draw`, which needs `game_id`; `means` has sales only, "+
			"and no rows with `game_id` or `category_id`, because payments belong to tickets; "+
			"`GET /reports/sales/tickets` lists the tickets of a draw."), kit.Can(auth.ReportsRead), o.sales, o.salesTable,
		append(slices.Clip(games), reports.ErrNoGame)...)
	kit.HandleFile(r, add("report-levels", "/reports/financial/audit-by-level", "What each level keeps of the net sales",
		"Follows the money from the ticket points to the entity. Net sales less prizes is the sum of what the levels keep and of what the entity passes up."),
		kit.Can(auth.ReportsRead), o.levels, o.levelsTable, games...)
	kit.HandleFile(r, add("report-waterfall", "/reports/financial/waterfall", "The steps from sales to the result",
		"The amounts of the steps that are not subtotals sum to the result."),
		kit.Can(auth.ReportsRead), o.waterfall, o.waterfallTable, games...)
	kit.HandleFile(r, add("report-balances", "/reports/financial/entity-balance", "How the balances of an entity and of those one level below changed",
		"Opening balance plus the types of transactions is the closing balance. The figures come from the ledger and contain the last transaction."),
		kit.Can(auth.ReportsRead), o.balances, o.balancesTable, common...)
	kit.HandleFile(r, add("report-draw-tickets", "/reports/sales/tickets", "The tickets of a draw with events in a period",
		"Leads from the figures of a draw in the report of sales to its tickets: "+
			"those that were sold, cancelled, refunded, won or paid in the period. "+
			"They sum to the draw's row, the participations but for `rounding`."),
		kit.Can(auth.ReportsRead), o.tickets, o.ticketsTable,
		append(slices.Clip(common), catalog.ErrDrawNotFound, months.ErrArchived)...)
	kit.HandleFile(r, add("report-expired-prizes", "/reports/financial/expired-prizes", "Prizes that were not collected in time",
		"By the business day on which they expired."), kit.Can(auth.ReportsRead), o.expired, o.expiredTable,
		append(slices.Clip(common), months.ErrPeriodArchived)...)
}

// EntityParams names the entity of a report.
type EntityParams struct {
	EntityID string `query:"entityId" format:"uuid" doc:"the entity with everything below it; the caller's without it"`
}

// PeriodParams name the days of a report.
type PeriodParams struct {
	Date string `query:"date" format:"date" doc:"one business day, instead of from and to"`
	From string `query:"from" format:"date" doc:"first business day; to without it"`
	To   string `query:"to" format:"date" doc:"last business day; from without it; today without both"`
}

// Resolve implements huma.Resolver: a day excludes a period.
func (p *PeriodParams) Resolve(huma.Context) []error {
	if p.Date == "" || p.From == "" && p.To == "" {
		return nil
	}
	return []error{&huma.ErrorDetail{Location: "query.date", Message: "expected date, or from and to"}}
}

// ReportInput are the parameters of a report.
type ReportInput struct {
	EntityParams
	PeriodParams
	kit.FileParams

	Currency   string `query:"currency" required:"true" maxLength:"36" example:"VES" doc:"code or id"`
	CategoryID string `query:"category_id" format:"uuid" doc:"only games of this category"`
	GameID     string `query:"game_id" format:"uuid" doc:"only this game"`
}

func (in *ReportInput) filter() *reports.Filter {
	f := filterOf(&in.EntityParams, &in.PeriodParams, in.Currency)
	f.CategoryID, f.GameID = kit.ID(in.CategoryID), kit.ID(in.GameID)
	return f
}

func filterOf(e *EntityParams, p *PeriodParams, currency string) *reports.Filter {
	f := &reports.Filter{EntityID: kit.ID(e.EntityID), From: kit.Day(p.From), To: kit.Day(p.To), Currency: currency}
	if p.Date != "" {
		f.From, f.To = kit.Day(p.Date), kit.Day(p.Date)
	}
	return f
}

// reportEntity is an entity as reports name it.
type reportEntity struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Code string    `json:"code"`
	Type string    `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
}

// Head says what a report is about.
type Head struct {
	Entity   reportEntity `json:"entity"`
	Currency string       `json:"currency" example:"VES"`
	From     string       `json:"from" format:"date"`
	To       string       `json:"to" format:"date"`
	AsOf     *time.Time   `json:"as_of" doc:"events up to this time are counted; null if none was ever counted"`
}

func entityBody(e *reports.Entity) reportEntity { return reportEntity(*e) }

func headBody(h *reports.Head) Head {
	return Head{
		Entity: entityBody(&h.Entity), Currency: h.Currency.Code, From: h.From.String(), To: h.To.String(),
		AsOf: kit.Optional(h.AsOf),
	}
}
