package risk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/risk"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/choices"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

const (
	limitsPath    = links.Limits
	nearParam     = "near" // selects the limits that are used above the share of an alarm
	listed        = 1000   // limits that a list selects or folds
	elementLength = 60     // of the typed animal or number
	reasonLength  = 300
)

// limitRow is a limit with the names of what it is about.
type limitRow struct {
	risk.Limit

	About   []string // category, game, draw, element and bet type; none for everything
	Blocked bool

	missing bool   // it has no amount in the chosen currency
	most    *use   // nil where nothing was sold that it limits
	all     string // address of the list of the limits that this row stands for; "" for the row of a limit
}

func (p *pages) limitRows(r *kit.Request, w kit.Window) ([]limitRow, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	chosen, err := p.limitCurrency(r)
	if err != nil {
		return nil, 0, err
	}
	f := &risk.LimitFilter{
		EntityID: entity, GameID: r.QueryID("game"), Level: r.Query("level"), Element: elementCode(r.Query("element")), Blocks: r.Query("blocks") != "",
		Currency: chosen.Code, Limit: w.Limit, Offset: w.Offset,
	}
	asked := r.Query("level") + r.Query("entity") + r.Query("game") + r.Query("element") + r.Query("blocks") + r.Query("sort")
	near, folds := r.Query(nearParam) != "", asked == "" && !r.WantsFile() && w.Offset < listed
	if near || folds {
		f.Limit, f.Offset = listed, 0
	}
	list, total, err := p.Limits.Limits(r.Context(), r.Caller, f)
	if err != nil || len(list) == 0 {
		return nil, total, err
	}
	rows, err := p.describe(r, list)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows {
		if l := &rows[i]; chosen.Code != "" && l.Currency.Code != chosen.Code {
			l.Currency, l.Base, l.Pct, l.Blocked, l.missing = chosen, 0, 0, false, true
		}
	}
	if r.WantsFile() && !near {
		return rows, total, nil
	}
	if err := p.addUses(r, rows); err != nil || !near && !folds {
		return rows, total, err
	}
	beyond := total - int64(len(rows)) // limits that are not folded
	if near {
		rows, beyond = slices.DeleteFunc(rows, func(l limitRow) bool { return !l.alarms() }), 0
	} else if beyond == 0 {
		rows = kit.FoldAlike(rows, alike(r.View(), chosen.Code))
	}
	return rows[min(w.Offset, len(rows)):min(w.Offset+w.Limit, len(rows))], int64(len(rows)) + beyond, nil
}

// alike folds limits that differ in their entities only, except the most used ones. Its row links to the list of their level.
func alike(v *kit.View, code string) kit.Alike[limitRow] {
	return kit.Alike[limitRow]{Top: 5, Keep: (*limitRow).alarms,
		Kind: func(l *limitRow) string { return l.group(v) + l.Subject(v) + l.Amount(v) },
		Fold: func(l *limitRow, more int) {
			l.Entity, l.Reason, l.most = v.N("limits.folded", more), "", nil
			l.all = limitsPath + "?level=" + l.EntityType + "&currency=" + code
		},
	}
}

// limitCurrency returns the currency of the address, with which the list opens if it names none; the zero one for all.
func (p *pages) limitCurrency(r *kit.Request) (ledger.Currency, error) {
	if kit.Asks(r, currency.Param) && r.Query(currency.Param) == "" {
		return ledger.Currency{}, nil
	}
	chosen, _, err := currency.Choose(r, p.Exposure)
	return chosen, err
}

// addUses adds what uses most of each limit. The most used limit of each level comes first.
func (p *pages) addUses(r *kit.Request, rows []limitRow) error {
	sold, err := p.open().ReadSold(r)
	if err != nil {
		return err
	}
	for i := range rows {
		l := &rows[i]
		if l.Blocked || l.missing {
			continue
		}
		uses, _, err := p.uses(r, sold, &l.Limit, 1)
		if err != nil {
			return err
		}
		if len(uses) > 0 {
			l.most = &uses[0]
		}
	}
	slices.SortStableFunc(rows, func(a, b limitRow) int {
		return cmp.Or(len(org.TypesBelow(b.EntityType))-len(org.TypesBelow(a.EntityType)), cmp.Compare(a.Metric, b.Metric), cmp.Compare(b.used(), a.used()))
	})
	return nil
}

// used is the used part of the limit, in basis points.
func (l *limitRow) used() money.BasisPoints {
	if l.most == nil {
		return 0
	}
	return l.most.Share()
}

// alarms reports whether the limit is nearly used up.
func (l *limitRow) alarms() bool { return l.used() >= openrisk.AlarmShare*100 }

// describe adds the names of what limits are about.
func (p *pages) describe(r *kit.Request, list []risk.Limit) ([]limitRow, error) {
	named, err := p.Catalog.AllCategories(r.Context())
	if err != nil {
		return nil, err
	}
	categories := map[uuid.UUID]string{}
	for i := range named {
		categories[named[i].ID] = named[i].Name
	}
	views, err := p.drawsOf(r, list)
	if err != nil {
		return nil, err
	}
	rows := make([]limitRow, len(list))
	for i := range list {
		l := &list[i]
		row := limitRow{Limit: *l, Blocked: l.Base == 0 && l.Pct == 0}
		if l.CategoryID != uuid.Nil {
			row.About = append(row.About, categories[l.CategoryID])
		}
		var game *catalog.Game
		if l.GameID != uuid.Nil {
			if game, err = p.Catalog.Game(r.Context(), l.GameID); err != nil { // kept in memory
				return nil, err
			}
			row.About = append(row.About, game.Name)
		}
		if draw := views[l.DrawID]; draw != nil {
			row.About = append(row.About, r.View().Clock(draw.Time))
		}
		if l.Element != "" {
			row.About = append(row.About, openrisk.SelectionText(game, l.Element))
		}
		if l.BetType != "" {
			row.About = append(row.About, r.T("bet."+l.BetType))
		}
		rows[i] = row
	}
	return rows, nil
}

// drawsOf returns the draws that limits name, read in one query.
func (p *pages) drawsOf(r *kit.Request, list []risk.Limit) (map[uuid.UUID]*draws.View, error) {
	ids := kit.Map(list, func(l *risk.Limit) uuid.UUID { return l.DrawID }) // Nil is the id of no draw
	views, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{IDs: ids, Limit: len(ids)})
	byID := make(map[uuid.UUID]*draws.View, len(views))
	for i := range views {
		byID[views[i].ID] = &views[i]
	}
	return byID, err
}

// elementCode is the code of an element that was typed or suggested with its name.
func elementCode(typed string) string {
	code, _, _ := strings.Cut(strings.TrimSpace(typed), " ")
	return code
}

func (p *pages) limitFilter(r *kit.Request) (*kit.Filter, error) {
	games, err := choices.Games(r, p.Catalog)
	if err != nil {
		return nil, err
	}
	chosen, err := p.limitCurrency(r)
	if err != nil {
		return nil, err
	}
	currencies, err := p.Exposure.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	levels := append([]string{models.EntityOperator}, org.TypesBelow(models.EntityOperator)...)
	fields := []kit.FilterField{
		kit.SelectField(currency.Param, "label.currency", currency.Options(ledger.Active(currencies))).Opening(cmp.Or(r.Query(currency.Param), chosen.Code)),
		kit.EntityField("entity", "label.entity"), kit.SelectField("level", "limits.level", r.Options("type.", levels...)), kit.SelectField("game", "label.game", games),
		kit.TextField("element", "limits.element", elementLength), kit.SelectField("blocks", "label.kind", []kit.Option{{Value: "1", Text: r.T("exposure.blocks")}}),
		kit.HiddenField(nearParam),
	}
	return &kit.Filter{Fields: fields, Views: []kit.SavedView{{Title: "limits.near", Values: map[string]string{nearParam: "1", currency.Param: chosen.Code}}}}, nil
}

func limitAddress(l *limitRow) string { return cmp.Or(l.all, limitsPath+"/"+l.ID.String()) }

// Subject is what a limit is about in one text.
func (l *limitRow) Subject(v *kit.View) string {
	return cmp.Or(strings.Join(l.About, " · "), v.T("limits.everything"))
}

// Amount is the bound of a limit in words.
func (l *limitRow) Amount(v *kit.View) string {
	switch {
	case l.missing:
		return v.T("limits.missing", l.Currency.Unit())
	case l.Blocked:
		return v.T("state.element.blocked")
	}
	text := currency.Text(v, l.Base, l.Currency)
	if l.Pct > 0 {
		text = v.T("limits.sliding", text, v.Percent(l.Pct))
	}
	return text
}

func amountCell(v *kit.View, l *limitRow) kit.Cell {
	if l.Blocked {
		return kit.Badges(v.State("element", "blocked"))
	}
	return kit.Text(l.Amount(v))
}

func mostCell(v *kit.View, l *limitRow) kit.Cell {
	switch {
	case l.most != nil:
		return v.MeterCell((&openrisk.Used{Usage: l.most.Usage, Name: l.most.Selection + " · " + l.most.Draw}).Meter(v))
	case l.Blocked || l.missing || l.all != "":
		return kit.None()
	}
	return kit.Cell{Text: v.T("limits.unused"), Style: "faint"}
}

// group names the level of a limit and what it bounds.
func (l *limitRow) group(v *kit.View) string {
	return v.T("type."+l.EntityType) + " · " + v.T("limits.metric."+l.Metric)
}

// aboutCell is what a limit is about, and its reason. A phone leaves out that it is about everything.
func aboutCell(v *kit.View, l *limitRow) kit.Cell {
	cell := kit.Wrap(l.Subject(v)).WithSecondLine(l.Reason)
	if len(l.About) == 0 && l.Reason == "" {
		cell.Style = "faint least"
	}
	return cell
}

func limitColumns() []kit.Column[limitRow] {
	return []kit.Column[limitRow]{
		kit.TextColumn("label.entity", func(l *limitRow) string { return l.Entity }),
		kit.WordColumn("limits.about", func(v *kit.View, l *limitRow) string { return l.Subject(v) }).WithCell(aboutCell),
		kit.WordColumn("limits.metric", func(v *kit.View, l *limitRow) string { return v.T("limits.metric." + l.Metric) }).FileOnly(),
		kit.Column[limitRow]{Title: "limits.limit", Number: true, Cell: amountCell, File: func(l *limitRow) sheet.Cell {
			if l.missing {
				return sheet.Cell{}
			}
			return sheet.Money(l.Base, l.Currency.Digits)
		}}.If(func(l *limitRow) bool { return l.all == "" }),
		{Title: "limits.most", Cell: mostCell},
		{Title: "limits.pct", File: func(l *limitRow) sheet.Cell { return sheet.Percent(l.Pct) }},
		{Title: "label.currency", Text: func(l *limitRow) string { return l.Currency.Code }},
		kit.TextColumn("label.reason", func(l *limitRow) string { return l.Reason }).FileOnly(),
		kit.TimeColumn("limits.updated", func(l *limitRow) time.Time { return l.UpdatedAt }).FileOnly(),
	}
}
