package reports

import (
	"context"
	"slices"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/exports"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
)

// Sources returns the reports as exports make files of them: the files of the operations.
func Sources(service *reports.Service) []exports.Source {
	o := &operations{Registry: &kit.Registry{}, reports: service}
	common := []string{exports.FieldEntity, exports.FieldFrom, exports.FieldTo, exports.FieldCurrency}
	games := append(slices.Clone(common), exports.FieldCategory, exports.FieldGame)
	list := []exports.Source{
		source("sales-summary", common, o.summaryTable, func(f *exports.Filter) *summaryInput {
			return &summaryInput{EntityParams: entityOf(f), PeriodParams: periodOf(f), Currency: f.Currency}
		}),
		source("sales", append(slices.Clone(games), exports.FieldGroup), o.salesTable, func(f *exports.Filter) *salesInput {
			return &salesInput{ReportInput: *reportInputOf(f), GroupBy: groupOf(f)}
		}, exports.FieldCurrency),
		source("audit-by-level", games, o.levelsTable, reportInputOf, exports.FieldCurrency),
		source("waterfall", games, o.waterfallTable, reportInputOf, exports.FieldCurrency),
		source("entity-balance", common, o.balancesTable, func(f *exports.Filter) *balancesInput {
			return &balancesInput{EntityParams: entityOf(f), PeriodParams: periodOf(f), Currency: f.Currency}
		}, exports.FieldCurrency),
		source("tickets", append(slices.Clone(common), exports.FieldDraw), o.ticketsTable, func(f *exports.Filter) *ticketsInput {
			return &ticketsInput{ListInput: *listInputOf(f), DrawID: f.DrawID}
		}, exports.FieldCurrency, exports.FieldDraw),
		source("expired-prizes", common, o.expiredTable, listInputOf, exports.FieldCurrency),
	}
	return list
}

// source returns the source of a report whose file is made by table of an input.
func source[I any](report string, takes []string, table func(context.Context, caller.Caller, *I) (*sheet.Table, error), input func(*exports.Filter) *I, needs ...string) exports.Source {
	return exports.Source{
		Report: report, Permission: auth.ReportsRead, Takes: takes, Needs: needs, Today: true,
		Table: func(ctx context.Context, by caller.Caller, language string, f *exports.Filter) (*sheet.Table, error) {
			return table(middleware.WithLanguage(ctx, language), by, input(f))
		},
	}
}

func entityOf(f *exports.Filter) EntityParams { return EntityParams{EntityID: f.EntityID} }

func periodOf(f *exports.Filter) PeriodParams { return PeriodParams{From: f.From, To: f.To} }

func reportInputOf(f *exports.Filter) *ReportInput {
	return &ReportInput{EntityParams: entityOf(f), PeriodParams: periodOf(f), Currency: f.Currency, CategoryID: f.CategoryID, GameID: f.GameID}
}

func listInputOf(f *exports.Filter) *ListInput {
	return &ListInput{EntityParams: entityOf(f), PeriodParams: periodOf(f), Currency: f.Currency}
}

func groupOf(f *exports.Filter) string {
	if f.GroupBy == "" {
		return reports.GroupTotal
	}
	return f.GroupBy
}
