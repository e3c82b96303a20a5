package risk

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
	"banca/web/admin/parts/choices"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

// usesShown bounds the selections of a limit's page.
const usesShown = 6

// limitPage is one limit with what is left of it.
type limitPage struct {
	limitRow

	Uses    kit.Rows // the selections that use most of it
	Shown   int      // selections of Uses
	Used    int      // of all
	Changes bool
	Above   bool // an entity above the user set it: the user may make it tighter only
	Form    *kit.Form
	Effect  []string // of the amounts of the form
}

func (p *pages) loadLimit(r *kit.Request) (*limitPage, error) {
	limit, err := p.Limits.Limit(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	rows, err := p.describe(r, []risk.Limit{*limit})
	if err != nil {
		return nil, err
	}
	amounts := &risk.LimitRequest{Base: r.Money(limit.Base, limit.Currency.Digits), Reason: limit.Reason}
	if limit.Pct > 0 {
		amounts.Pct = r.Money(money.Amount(limit.Pct), 2)
	}
	page := &limitPage{
		limitRow: rows[0], Changes: r.May(auth.RiskWrite), Above: limit.SetAbove(r.Caller),
		Form: kit.NewForm(amountInputs(amounts, r.Say("move.amount", limit.Currency.Unit()))...).Take(r),
	}
	sold, err := p.open().ReadSold(r)
	if err != nil {
		return nil, err
	}
	uses, used, err := p.uses(r, sold, limit, usesShown)
	if err != nil {
		return nil, err
	}
	page.Shown, page.Used = len(uses), used
	page.Uses = kit.RowsOf(useColumns(limit.Pct > 0), uses, nil, "limits.uses.none")
	if draft, refused := p.Limits.DraftChange(r.Context(), r.Caller, r.ID, amounts.Base, amounts.Pct, ""); refused == nil {
		page.Effect, err = p.effect(r, sold, draft, false)
	}
	return page, err
}

// useColumns are the columns of the uses. A limit that slides is another amount in each draw.
func useColumns(slides bool) []kit.Column[use] {
	amount := kit.AmountsOf(func(u *use) int { return u.digits })
	limit := amount("limits.limit", func(u *use) money.Amount { return u.Limit })
	if !slides {
		limit.Cell = nil
	}
	return []kit.Column[use]{
		kit.TextColumn("label.draw", func(u *use) string { return u.Draw }).To(func(u *use) string { return path + "/" + u.DrawID.String() }),
		kit.TextColumn("limits.element", func(u *use) string { return u.Selection }).Wrapped().Below(func(v *kit.View, u *use) string { return v.T("bet." + u.Bet) }),
		amount("limits.sold", func(u *use) money.Amount { return u.Sold }),
		limit,
		amount("limits.left", func(u *use) money.Amount { return u.Left() }),
		{Title: "limits.share", Cell: func(v *kit.View, u *use) kit.Cell { return v.MeterCell(openrisk.MeterOf(v, &u.Usage)) }},
	}
}

// amountInputs are the fields of the amounts of a limit and their reason. label is that of the amount, "" without a currency.
func amountInputs(limit *risk.LimitRequest, label string) []kit.Input {
	return []kit.Input{
		kit.DecimalInput("base", "limits.base", 24).Labelled(label).With("autocomplete=off").WithRule("limits.base.rule", true).Required().Into(&limit.Base),
		kit.PercentInput("pct", "limits.pct").WithRule("limits.pct.rule", true).Into(&limit.Pct),
		kit.TextInput("reason", "label.reason", reasonLength).Into(&limit.Reason),
	}
}

// Delete asks before the limit is taken away.
func (p *limitPage) Delete(v *kit.View) *kit.Question {
	return v.Question(v.T("limits.delete"), limitsPath+"/"+p.ID.String()+"/delete", v.T("limits.delete.ask", p.Entity, p.Subject(v)), v.T("limits.delete.do")).
		Fact("limits.limit", kit.Text(p.Amount(v))).Irreversible(true)
}

func (p *pages) changeLimit(r *kit.Request) error {
	if kit.Calculates(r) {
		return p.limit.Show(r)
	}
	limit := &risk.LimitRequest{}
	kit.NewForm(amountInputs(limit, "")...).Take(r)
	_, err := p.Limits.Change(r.Context(), r.Caller, r.ID, limit.Base, limit.Pct, limit.Reason)
	return p.limit.Submit(r, err, "limit.changed", func(page *limitPage) { page.Form.RefuseBy(err, "") })
}

func (p *pages) deleteLimit(r *kit.Request) error {
	return p.limit.SubmitTo(r, p.Limits.Remove(r.Context(), r.Caller, r.ID), limitsPath, "limit.deleted")
}

// newLimitPage is the form of a new limit.
type newLimitPage struct {
	Form   *kit.Form
	Effect []string // nil while the form names no limit
}

func (p *pages) loadNewLimit(r *kit.Request) (*newLimitPage, error) {
	games, err := choices.Games(r, p.Catalog)
	if err != nil {
		return nil, err
	}
	categories, err := choices.Categories(r, p.Catalog)
	if err != nil {
		return nil, err
	}
	all, err := p.Exposure.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	currencies := currency.Options(ledger.Active(all))
	limit := &newLimit{Entity: kit.EntityName(r, r.Caller.EntityID), LimitRequest: risk.LimitRequest{
		Metric: models.MetricStake, Currency: r.Query(currency.Param), GameID: r.QueryID("game"), Element: elementCode(r.Query("element")),
	}}
	if limit.Currency == "" && len(currencies) > 0 {
		limit.Currency = currencies[0].Value
	}
	page := &newLimitPage{Form: limit.form(r, currencies, categories, games).Take(r)}
	draft, err := p.draft(r, limit)
	if err != nil {
		if _, _, explained := r.Explain(err); explained {
			err = nil // a form that is sent says it at its field
		}
		return page, err
	}
	sold, err := p.open().ReadSold(r)
	if err != nil {
		return nil, err
	}
	page.Effect, err = p.effect(r, sold, draft, limit.Base == "")
	return page, err
}

// shownFields are the fields of a new limit above the folded ones.
const shownFields = 7

// Shown are the fields that most limits have.
func (p *newLimitPage) Shown(v *kit.View) []*kit.Field { return p.Form.Fields(v)[:shownFields] }

// Folded are the other fields.
func (p *newLimitPage) Folded(v *kit.View) []*kit.Field { return p.Form.Fields(v)[shownFields:] }

// Open reports whether a folded field is refused or has something typed.
func (p *newLimitPage) Open(v *kit.View) bool {
	return slices.ContainsFunc(p.Folded(v), func(f *kit.Field) bool { return f.Wrong || f.Value != "" })
}

// newLimit is a limit as it is typed.
type newLimit struct {
	risk.LimitRequest

	Entity string // name or code
}

// form returns the form of the limit. The choices are needed to show it.
func (l *newLimit) form(r *kit.Request, currencies, categories, games []kit.Option) *kit.Form {
	orAll := func(label string, options []kit.Option) []kit.Option {
		return append([]kit.Option{{Text: r.View().FirstText(label+".all", "word.all")}}, options...)
	}
	metrics := r.Options("limits.metric.", models.MetricStake, models.MetricLiability)
	amounts := amountInputs(&l.LimitRequest, "")
	base, pct, reason := amounts[0], amounts[1], amounts[2]
	return kit.NewForm(
		kit.EntityInput("entity", "label.entity").Required().Into(&l.Entity),
		kit.ChoiceInput("currency", "label.currency", currencies).At(ledger.ErrCurrencyNotFound.Code).Into(&l.Currency),
		kit.ChoiceInput("game", "label.game", orAll("label.game", games)).At("game_id").Into(&l.GameID),
		kit.TextInput("element", "limits.element", elementLength).With("spellcheck=false").SuggestFrom(limitsPath+"/elements").WithRule("limits.element.rule", true).At(risk.ErrUnknownElement.Code).Into(&l.Element),
		kit.RadioInput("metric", "limits.metric", metrics).Into(&l.Metric), base, reason,
		kit.ChoiceInput("category", "label.category", orAll("label.category", categories)).At("category_id").Into(&l.CategoryID),
		kit.ChoiceInput("bet", "limits.bet", orAll("limits.bet", r.Options("bet.", catalog.BetTypeNames()...))).At("bet_type").Into(&l.BetType),
		pct,
	)
}

// createLimit creates a limit. Each error is shown at its field.
func (p *pages) createLimit(r *kit.Request) error {
	if kit.Calculates(r) {
		return p.created.Show(r)
	}
	limit := &newLimit{}
	limit.form(r, nil, nil, nil).Take(r)
	err := p.resolve(r, limit)
	var made *risk.Limit
	if err == nil {
		made, err = p.Limits.Create(r.Context(), r.Caller, &limit.LimitRequest)
	}
	if err == nil {
		return r.Done(limitAddress(&limitRow{Limit: *made}), "limit.created")
	}
	_, further := p.Limits.Draft(r.Context(), r.Caller, &limit.LimitRequest)
	return p.created.ShowRefusal(r, err, func(page *newLimitPage) {
		page.Form.Check()
		page.Form.RefuseBy(err, "")
		page.Form.RefuseBy(further, "")
	})
}

// resolve finds the entity and the element that were typed.
func (p *pages) resolve(r *kit.Request, limit *newLimit) (err error) {
	if limit.EntityID, err = p.Org.Named(r.Context(), r.Caller, limit.Entity); err != nil {
		return err
	}
	limit.Element, err = p.typedElement(r, limit.GameID, limit.Element)
	return err
}

// draft returns the limit of a form, of which the amount can be missing.
func (p *pages) draft(r *kit.Request, limit *newLimit) (*risk.Limit, error) {
	if err := p.resolve(r, limit); err != nil {
		return nil, err
	}
	asked := limit.LimitRequest
	asked.Base = cmp.Or(asked.Base, "0")
	return p.Limits.Draft(r.Context(), r.Caller, &asked)
}

// typedElement returns the code of an element of a game, or of all games, as it was typed. Errors: risk.ErrUnknownElement, catalog.ErrGameNotFound.
func (p *pages) typedElement(r *kit.Request, gameID uuid.UUID, typed string) (string, error) {
	games, err := p.Catalog.Games(r.Context())
	if gameID != uuid.Nil {
		games = make([]*catalog.Game, 1)
		games[0], err = p.Catalog.Game(r.Context(), gameID)
	}
	if err != nil || typed == "" {
		return "", err
	}
	if code, ok := catalog.FindElementIn(games, typed); ok {
		return code, nil
	}
	return "", risk.ErrUnknownElement
}

// suggestElements suggests the elements of all games by their codes and names.
func (p *pages) suggestElements(r *kit.Request, typed string) ([]kit.Option, error) {
	games, err := p.Catalog.Games(r.Context())
	if err != nil {
		return nil, err
	}
	seen, options := map[string]bool{}, []kit.Option{}
	for _, game := range games {
		if game.Mechanics().Kind == catalog.DrawsNumber {
			continue
		}
		for i := range game.Elements {
			if text := openrisk.SelectionText(game, game.Elements[i].Code); !seen[text] {
				seen[text] = true
				options = append(options, kit.Option{Value: game.Elements[i].Code, Text: text})
			}
		}
	}
	return kit.MatchingOptions(options, typed), nil
}
