// Package weekly has the pages of weekly settlements (cuadres semanales) and of the report of participations.
package weekly

import (
	"embed"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/businessday"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

const (
	path              = links.Weekly
	participationPath = links.Reports + "/participation"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list       kit.List[row, listPage]
	settlement kit.Page[settlementPage]
}

// Area returns the pages of weekly settlements.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[row, listPage]{
		Template: "weekly", File: "weekly-settlements", Columns: columns(), ColumnsOf: columnsOf, Link: address, Empty: "weekly.none", Rows: p.rows, Filter: p.filter, Page: p.listPageOf, Totals: totals,
		FileRows: kit.ExportRows,
	}
	p.settlement = kit.Page[settlementPage]{Template: "weekly-settlement", Load: p.load}
	read, write := kit.Can(auth.SettlementsRead), kit.Can(auth.SettlementsWrite)
	operator := write.Operator().Sensitive()
	return kit.Area{Templates: templates, Guide: "panel#dinero", Routes: []kit.Route{
		kit.Get(path, read, p.show).Menu("nav.money", "weekly.title"),
		kit.Action(path, "/confirm", operator, p.confirmWeek),
		kit.Action(path, "/draft", operator, p.draftWeek),
		kit.Action(path, "/send", write.Operator(), p.sendWeek),
		kit.Get(path+"/:id", read, p.settlement.Show),
		kit.Action(path+"/:id", "/confirm", operator, p.confirm),
		kit.Action(path+"/:id", "/pay", write.SensitiveIf(sure), p.pay),
		kit.Action(path+"/:id", "/link", write.Sensitive(), p.link),
		kit.Action(path+"/:id", "/unlink", write.Sensitive(), p.unlink),
		kit.Get(path+"/:id/receipt", read, p.receipt),
		kit.Get(participationPath, kit.Can(auth.ReportsRead), p.participation).Menu("nav.money", "participation.title").In(tabs.Reports()),
	}}
}

func addressOf(id uuid.UUID) string { return path + "/" + id.String() }

// address is the page of a settlement; "" for a week that is not drafted.
func address(s *row) string {
	if s.level.running != nil {
		return ""
	}
	return addressOf(s.ID)
}

// weekText names a week by its first and last day.
func weekText(v *kit.View, week businessday.Day) string {
	return v.T("reports.days", v.Day(week), v.Day(week.AddDays(6)))
}
