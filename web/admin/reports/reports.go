// Package reports has the pages of sales, prizes, payments and earnings over a period.
package reports

import (
	"embed"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"banca/internal/auth"
	"banca/internal/exports"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/reports"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/admin/parts/choices"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/tabs"
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
	silent  kit.List[silentRow, struct{}]
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
	p.silent = kit.List[silentRow, struct{}]{
		Template: "silent", File: "silent-points", Columns: silentColumns(), Link: func(row *silentRow) string { return links.Organisation + "/" + row.EntityID.String() }, Empty: "silent.none",
		Rows: p.silentRows, Filter: p.silentFilter,
	}
	read, all := kit.Can(auth.ReportsRead), tabs.Reports()
	return kit.Area{Templates: templates, Guide: "panel#dinero", Funcs: template.FuncMap{"exportJob": jobOf}, Routes: []kit.Route{
		kit.Get(salesPath, read, p.sales).Menu("nav.money", "reports.sales").In(all),
		kit.Get(ticketsPath, read, p.tickets.Show),
		kit.Get(levelsPath, read, p.levels).Menu("nav.money", "reports.levels").In(all),
		kit.Get(waterfallPath, read, p.waterfall).Menu("nav.money", "reports.waterfall").In(all),
		kit.Get(balancesPath, read, p.balances).Menu("nav.money", "reports.balances").In(all),
		kit.Get(expiredPath, read, p.expired.Show).Menu("nav.money", "reports.expired").In(all),
		kit.Get(silentPath, read, p.silent.Show).Menu("nav.sales", "silent.title"),
		kit.Get(filesPath, read, p.files.Show).Menu("nav.money", "reports.files").In(all),
		kit.Post(filesPath, read, p.prepare),
		kit.Get(filesPath+"/:id/progress", read, p.fileProgress),
		kit.Get(filesPath+"/:id/download", read, p.download),
	}}
}

// question is what the address of a page asks for.
type question struct {
	reports.Filter

	entity org.Chain
	scope  string // path of the highest entity that the caller sees
	url    *url.URL
}

// ask reads the address. Invalid days are today, as the filter says. Errors: org.ErrEntityNotFound.
func (p *pages) ask(r *kit.Request) (*question, error) {
	q := &question{url: r.URL(), scope: r.Caller.Scope.Path()}
	q.Currency, q.CategoryID, q.GameID = currency.Asked(r), r.QueryID("category"), r.QueryID("game")
	q.From, q.To = r.QueryDay("from"), r.QueryDay("to")
	if q.From.IsZero() && q.To.IsZero() {
		q.From, q.To = r.Today(), r.Today()
	}
	var err error
	q.EntityID = r.Caller.EntityID
	if typed := r.Query("entity"); typed != "" {
		if q.EntityID, err = p.Org.Named(r.Context(), r.Caller, typed); err != nil {
			return q, err
		}
	}
	if q.entity, err = p.Org.Chain(r.Context(), q.EntityID); err != nil {
		return q, err
	}
	if !r.Caller.Scope.Contains(q.entity.Path()) {
		return q, org.ErrEntityNotFound
	}
	return q, nil
}

// form returns the filter of a page. Games are not among the conditions of all reports.
func (p *pages) form(r *kit.Request, q *question, games bool, hidden ...string) (*kit.Filter, error) {
	entity, from, to := kit.EntityField("entity", "label.entity"), kit.DateField("from", "label.from"), kit.DateField("to", "label.to")
	if q.entity != nil && r.Query("entity") != "" {
		entity.Value = org.TextOf(q.entity.Self().Name, q.entity.Self().Code)
	}
	if r.Query("from") == "" {
		from.Value = dayText(q.From, q.To)
	}
	if r.Query("to") == "" {
		to.Value = dayText(q.To, q.From)
	}
	money, err := currency.Field(r, p.Ledger)
	if err != nil {
		return nil, err
	}
	f := &kit.Filter{Clear: r.URL().Path, Reset: "reports.clear", Fields: []kit.FilterField{entity, from, to, money}}
	if games {
		if err := p.addGames(r, f); err != nil {
			return nil, err
		}
	}
	for _, name := range hidden {
		f.Fields = append(f.Fields, kit.HiddenField(name))
	}
	return f, nil
}

// dayText returns a day, or the other one if it is zero.
func dayText(day, other businessday.Day) string {
	if day.IsZero() {
		day = other
	}
	return day.String()
}

func (p *pages) addGames(r *kit.Request, f *kit.Filter) error {
	categories, err := choices.Categories(r, p.Catalog)
	if err != nil {
		return err
	}
	games, err := choices.Games(r, p.Catalog)
	if err != nil {
		return err
	}
	f.Fields = append(f.Fields, kit.SelectField("category", "label.category", categories), kit.SelectField("game", "label.game", games))
	return nil
}

// kept lists the parameters that links between pages keep.
func kept() []string {
	return []string{"entity", "from", "to", "currency", "category", "game", "by", "draw"}
}

// link returns the address of a page with the conditions of this one, and changes to them: names and values in turn. An empty
// value removes a condition.
func (q *question) link(page string, change ...string) string {
	query := url.Values{}
	for name, values := range q.url.Query() {
		if slices.Contains(kept(), name) && values[0] != "" {
			query.Set(name, values[0])
		}
	}
	for i := 0; i+1 < len(change); i += 2 {
		query.Set(change[i], change[i+1])
		if change[i+1] == "" {
			query.Del(change[i])
		}
	}
	if len(query) == 0 {
		return page
	}
	return page + "?" + query.Encode()
}

// above returns links to the page for the entities above the one of the question, as far as the caller sees them. If self is true, the
// entity is among them.
func (q *question) above(page string, self bool, change ...string) []kit.MenuLink {
	var links []kit.MenuLink
	for i, n := range q.entity {
		if strings.HasPrefix(n.Path, q.scope) && (self || i < len(q.entity)-1) {
			links = append(links, kit.MenuLink{Title: n.Name, Path: q.link(page, append([]string{"entity", n.Code}, change...)...)})
		}
	}
	return links
}

// base is what every report shows of its question.
type base struct {
	Head   reports.Head
	Title  string // with the entity and what else was chosen
	Crumbs []kit.MenuLink
}

// Unit is the symbol of the currency.
func (b *base) Unit() string { return b.Head.Currency.Unit() }

// Period says which days the report is about, and up to which instant.
func (b *base) Period(v *kit.View) string {
	text := v.Day(b.Head.From)
	if b.Head.From != b.Head.To {
		text = v.T("reports.days", v.Day(b.Head.From), v.Day(b.Head.To))
	}
	if b.Head.AsOf.IsZero() {
		return v.T("reports.uncounted", text)
	}
	return v.T("reports.asof", text, v.Clock(b.Head.AsOf))
}

// present shows a page, or the filter alone with the text of an error of the request.
func present[P any](r *kit.Request, template string, page *P, err error) error {
	if err == nil {
		return r.Render(template, page)
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return r.Write(status, template, new(P), text)
}
