package risk

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/platform/sheet"
	"banca/internal/risk"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	limitsPath = links.Limits

	elementLength = 60 // of what is typed for an animal or number
	reasonLength  = 300
)

// limitRow is a limit with the names of what it is about.
type limitRow struct {
	risk.Limit

	About   []string // category, game, draw, element and bet type; none for everything
	Blocked bool
}

func (p *pages) limitRows(r *kit.Request, w kit.Window) ([]limitRow, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Limits.Limits(r.Context(), r.Caller, &risk.LimitFilter{
		EntityID: entity, GameID: r.QueryID("game"), Level: r.Query("level"), Element: elementCode(r.Query("element")), Blocks: r.Query("blocks") != "",
		Limit: w.Limit, Offset: w.Offset,
	})
	if err != nil {
		return nil, 0, err
	}
	rows, err := p.describe(r, list)
	return rows, total, err
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
	}
	return &kit.Filter{Fields: fields}, nil
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

func limitAddress(l *limitRow) string { return limitsPath + "/" + l.ID.String() }

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

func limitColumns() []kit.Column[limitRow] {
	return []kit.Column[limitRow]{
		kit.TextColumn("label.entity", func(l *limitRow) string { return l.Entity }).
			Below(func(v *kit.View, l *limitRow) string { return v.T("type." + l.EntityType) }),
		kit.WordColumn("limits.about", func(v *kit.View, l *limitRow) string { return l.about(v.T("limits.everything")) }).Wrapped(),
		kit.WordColumn("limits.metric", func(v *kit.View, l *limitRow) string { return v.T("limits.metric." + l.Metric) }),
		{Title: "limits.limit", Number: true, Cell: func(v *kit.View, l *limitRow) kit.Cell {
			if l.Blocked {
				return kit.Badges(v.State("element", "blocked"))
			}
			return kit.Text(l.amount(v))
		}},
		{Title: "limits.base", File: func(l *limitRow) sheet.Cell { return sheet.Money(l.Base, l.Currency.Digits) }},
		{Title: "limits.pct", File: func(l *limitRow) sheet.Cell { return sheet.Percent(l.Pct) }},
		{Title: "label.currency", Text: func(l *limitRow) string { return l.Currency.Code }},
		kit.TextColumn("label.reason", func(l *limitRow) string { return l.Reason }),
		kit.TimeColumn("limits.updated", func(l *limitRow) time.Time { return l.UpdatedAt }),
	}
}
