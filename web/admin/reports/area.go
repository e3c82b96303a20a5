// Package reports has the pages of what was sold, won, paid and earned over a period.
package reports

import (
	"embed"
	"html/template"

	"banca/internal/auth"
	"banca/internal/exports"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path          = links.Reports
	salesPath     = path + "/sales"
	ticketsPath   = salesPath + "/tickets"
	levelsPath    = path + "/levels"
	waterfallPath = path + "/waterfall"
	balancesPath  = path + "/balances"
	expiredPath   = path + "/expired-prizes"
	filesPath     = path + "/files"
	silentPath    = path + "/silent"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	tickets kit.List[ticketRow, ticketsPage]
	expired kit.List[expiredRow, expiredPage]
	files   kit.List[exports.Export, filesPage]
	silent  kit.List[silentRow, silentPage]
}

// Area returns the pages of reports.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.tickets = kit.List[ticketRow, ticketsPage]{
		Template: "tickets", File: "tickets", Columns: ticketColumns(true), ColumnsOf: columnsOf, Link: func(t *ticketRow) string { return t.link }, Empty: "reports.tickets.none",
		Rows: p.ticketRows, Filter: p.ticketFilter, Page: p.ticketsPage, Totals: ticketTotals, FileRows: kit.ExportRows,
	}
	p.expired = kit.List[expiredRow, expiredPage]{
		Template: "expired", File: "expired-prizes", Columns: expiredColumns(), Link: func(e *expiredRow) string { return e.link }, Empty: "reports.expired.none",
		Rows: p.expiredRows, Filter: p.expiredFilter, Page: p.expiredPage, Totals: expiredTotals, FileRows: kit.ExportRows,
	}
	p.files = kit.List[exports.Export, filesPage]{Template: "files", Columns: fileColumns(), Empty: "reports.files.none", Rows: p.fileRows, Page: p.filesPage}
	p.silent = kit.List[silentRow, silentPage]{
		Template: "silent", File: "silent-points", Columns: silentColumns(), Link: func(row *silentRow) string { return links.Organisation + "/" + row.EntityID.String() }, Empty: "silent.none",
		Rows: p.silentRows, Filter: p.silentFilter,
	}
	read := kit.Can(auth.ReportsRead)
	return kit.Area{Templates: templates, Funcs: template.FuncMap{"exportJob": jobOf}, Routes: []kit.Route{
		kit.Get(salesPath, read, p.sales).Menu("nav.sales", "reports.sales"),
		kit.Get(ticketsPath, read, p.tickets.Show),
		kit.Get(levelsPath, read, p.levels).Menu("nav.money", "reports.levels"),
		kit.Get(waterfallPath, read, p.waterfall).Menu("nav.money", "reports.waterfall"),
		kit.Get(balancesPath, read, p.balances).Menu("nav.money", "reports.balances"),
		kit.Get(expiredPath, read, p.expired.Show).Menu("nav.money", "reports.expired"),
		kit.Get(silentPath, read, p.silent.Show).Menu("nav.sales", "silent.title"),
		kit.Get(filesPath, read, p.files.Show).Menu("nav.money", "reports.files"),
		kit.Post(filesPath, read, p.prepare),
		kit.Get(filesPath+"/:id/progress", read, p.fileProgress),
		kit.Get(filesPath+"/:id/download", read, p.download),
	}}
}
