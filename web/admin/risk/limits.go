package risk

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/risk"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

const (
	limitsPath = links.Limits

	nearParam = "near" // selects the limits that are used above the share of an alarm
	nearOf    = 1000   // sets that it selects from

	elementLength = 60 // of what is typed for an animal or number
	reasonLength  = 300
)

// limitRow is a limit with the names of what it is about.
type limitRow struct {
	risk.Limit

	About   []string // category, game, draw, element and bet type; none for everything
	Blocked bool
}

// limitSet is the limits of an entity that differ in their currencies and amounts only; in a file each limit is a row.
type limitSet struct {
	limitRow

	Bounds []bound
}

// bound is a limit of a set, with the selection that uses most of it.
type bound struct {
	limitRow

	most *use // nil where nothing was sold that it limits
}

func (p *pages) limitRows(r *kit.Request, w kit.Window) ([]limitSet, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	near := r.Query(nearParam) != ""
	f := &risk.LimitFilter{
		EntityID: entity, GameID: r.QueryID("game"), Level: r.Query("level"), Element: elementCode(r.Query("element")), Blocks: r.Query("blocks") != "",
		Limit: w.Limit, Offset: w.Offset,
	}
	if near {
		f.Limit, f.Offset = nearOf, 0
	}
	sets, total, err := p.limitSets(r, f)
	if err != nil || len(sets) == 0 {
		return nil, total, err
	}
	rows, err := p.describe(r, slices.Concat(sets...))
	if err != nil {
		return nil, 0, err
	}
	list := make([]limitSet, len(sets))
	for i, set := range sets {
		list[i].limitRow = rows[0]
		list[i].Bounds = kit.Map(rows[:len(set)], func(l *limitRow) bound { return bound{limitRow: *l} })
		rows = rows[len(set):]
	}
	if r.WantsFile() && !near {
		return list, total, nil
	}
	if err := p.addUses(r, list); err != nil || !near {
		return list, total, err
	}
	list = slices.DeleteFunc(list, func(l limitSet) bool { return l.used() < openrisk.AlarmShare*whole })
	total = int64(len(list))
	return list[min(w.Offset, len(list)):min(w.Offset+w.Limit, len(list))], total, nil
}

// limitSets reads the sets of a page, or each limit of a file.
func (p *pages) limitSets(r *kit.Request, f *risk.LimitFilter) ([][]risk.Limit, int64, error) {
	if !r.WantsFile() {
		return p.Limits.LimitSets(r.Context(), r.Caller, f)
	}
	list, total, err := p.Limits.Limits(r.Context(), r.Caller, f)
	return kit.Map(list, func(l *risk.Limit) []risk.Limit { return []risk.Limit{*l} }), total, err
}

// addUses adds what uses most of each limit. The set with the most used limit comes first.
func (p *pages) addUses(r *kit.Request, list []limitSet) error {
	sold, err := p.readSold(r)
	if err != nil {
		return err
	}
	for i := range list {
		for j := range list[i].Bounds {
			b := &list[i].Bounds[j]
			if b.Blocked {
				continue
			}
			uses, err := sold.uses(r, &b.Limit, 1)
			if err != nil {
				return err
			}
			if len(uses) > 0 {
				b.most = &uses[0]
			}
		}
	}
	slices.SortStableFunc(list, func(a, b limitSet) int { return cmp.Compare(b.used(), a.used()) })
	return nil
}

// used is the greatest used part of the limits of a set, in basis points.
func (l *limitSet) used() (share money.BasisPoints) {
	for i := range l.Bounds {
		if u := l.Bounds[i].most; u != nil {
			share = max(share, u.Share())
		}
	}
	return share
}

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
			row.About = append(row.About, elementText(game, l.Element))
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
	var ids []uuid.UUID
	for i := range list {
		if list[i].DrawID != uuid.Nil {
			ids = append(ids, list[i].DrawID)
		}
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no limit names a draw
	}
	views, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{IDs: ids, Limit: len(ids)})
	byID := make(map[uuid.UUID]*draws.View, len(views))
	for i := range views {
		byID[views[i].ID] = &views[i]
	}
	return byID, err
}

// elementText is an element with its name, such as 5 León.
func elementText(game *catalog.Game, code string) string {
	if game == nil {
		return code
	}
	if name := game.NameOf(code); name != code {
		return code + " " + name
	}
	return code
}

// elementCode is the code of an element that was typed or suggested with its name.
func elementCode(typed string) string {
	code, _, _ := strings.Cut(strings.TrimSpace(typed), " ")
	return code
}

func (p *pages) limitFilter(r *kit.Request) (*kit.Filter, error) {
	games, err := p.gameOptions(r)
	if err != nil {
		return nil, err
	}
	fields := []kit.FilterField{
		kit.EntityField("entity", "label.entity"), kit.SelectField("level", "limits.level", r.Options("type.", levels()...)), kit.SelectField("game", "label.game", games),
		kit.TextField("element", "limits.element", elementLength), kit.SelectField("blocks", "label.kind", []kit.Option{{Value: "1", Text: r.T("exposure.blocks")}}),
		kit.HiddenField(nearParam),
	}
	return &kit.Filter{Fields: fields, Views: []kit.SavedView{{Title: "limits.near", Values: map[string]string{nearParam: "1"}}}}, nil
}

// levels are the kinds of entities, the highest first.
func levels() []string {
	return []string{models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
}

func (p *pages) gameOptions(r *kit.Request) ([]kit.Option, error) {
	games, err := p.Catalog.Games(r.Context())
	options := kit.OptionsOf(games, func(game *catalog.Game) (value, text string) {
		return game.ID.String(), game.Name
	})
	return options, err
}

func limitAddress(l *limitSet) string { return l.Address() }

// Address is the address of the page of a limit.
func (l *limitRow) Address() string { return limitsPath + "/" + l.ID.String() }

// about is what a limit is about in one text.
func (l *limitRow) about(everything string) string {
	if len(l.About) == 0 {
		return everything
	}
	return strings.Join(l.About, " · ")
}

// amount is the bound of a limit in words.
func (l *limitRow) amount(v *kit.View) string {
	if l.Blocked {
		return v.T("state.element.blocked")
	}
	text := v.Money(l.Base, l.Currency.Digits) + " " + l.Currency.Unit()
	if l.Pct > 0 {
		text = v.T("limits.sliding", text, v.Percent(l.Pct))
	}
	return text
}

// Amount is the bound in words.
func (l *limitRow) Amount(v *kit.View) string { return l.amount(v) }

// Meter is the used part of the bound; nil where nothing was sold that it limits.
func (b *bound) Meter(v *kit.View) *kit.Meter {
	if b.most == nil {
		return nil
	}
	return (&openrisk.Used{Usage: b.most.Usage, Name: b.most.Selection}).Meter(v)
}

// note says what a limit bounds, and why.
func (l *limitRow) note(v *kit.View) string {
	text := v.T("limits.metric." + l.Metric)
	if l.Reason != "" {
		text += " · " + l.Reason
	}
	return text
}

func limitColumns() []kit.Column[limitSet] {
	return []kit.Column[limitSet]{
		kit.TextColumn("label.entity", func(l *limitSet) string { return l.Entity }).
			Below(func(v *kit.View, l *limitSet) string { return v.T("type." + l.EntityType) }),
		kit.WordColumn("limits.about", func(v *kit.View, l *limitSet) string { return l.about(v.T("limits.everything")) }).Wrapped().
			Below(func(v *kit.View, l *limitSet) string { return l.note(v) }),
		kit.WordColumn("limits.metric", func(v *kit.View, l *limitSet) string { return v.T("limits.metric." + l.Metric) }).FileOnly(),
		{Title: "limits.limit", Number: true, Cell: func(v *kit.View, l *limitSet) kit.Cell { return v.Part("limit-amounts", l.Bounds) }},
		{Title: "limits.most", Cell: func(v *kit.View, l *limitSet) kit.Cell { return v.Part("limit-uses", l.Bounds) }},
		{Title: "limits.base", File: func(l *limitSet) sheet.Cell { return sheet.Money(l.Base, l.Currency.Digits) }},
		{Title: "limits.pct", File: func(l *limitSet) sheet.Cell { return sheet.Percent(l.Pct) }},
		{Title: "label.currency", Text: func(l *limitSet) string { return l.Currency.Code }},
		kit.TextColumn("label.reason", func(l *limitSet) string { return l.Reason }).FileOnly(),
		kit.TimeColumn("limits.updated", func(l *limitSet) time.Time { return l.UpdatedAt }).FileOnly(),
	}
}
