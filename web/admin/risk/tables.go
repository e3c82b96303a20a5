package risk

import (
	"net/url"
	"slices"
	"time"

	"banca/internal/platform/money"
	"banca/internal/risk/exposure"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

// columns are those of the outcomes of a draw; in the file, amounts have a point.
func (p *exposurePage) columns() []kit.Column[exposure.Outcome] {
	amount := kit.AmountsOf(func(*exposure.Outcome) int { return p.Currency.Digits })
	announced := amount("label.announced", func(o *exposure.Outcome) money.Amount { return o.Announced }).OnWide()
	if !slices.ContainsFunc(p.Top, func(o exposure.Outcome) bool { return o.Announced != o.Liability }) {
		announced.Cell = nil // without wildcards
	}
	columns := []kit.Column[exposure.Outcome]{
		{Title: "limits.element", Text: func(o *exposure.Outcome) string { return o.Value }},
		{Title: "label.sign", Text: func(o *exposure.Outcome) string { return o.Sign }},
		{Title: "label.name", Text: func(o *exposure.Outcome) string { return o.Name }},
		openrisk.OutcomeColumn(p.drawn).TableOnly(),
		amount("label.stake", func(o *exposure.Outcome) money.Amount { return o.Stake }).OnWide(),
		kit.PercentColumn("label.share", func(o *exposure.Outcome) money.BasisPoints { return o.Share }).OnWide(),
		amount("label.liability"+openrisk.Past(p.drawn), openrisk.Liability).WithBar(openrisk.Liability, openrisk.Greatest(p.Shown), p.Kept),
		announced,
		amount("risk.house", p.Left).Styled(func(o *exposure.Outcome) string {
			if p.Bound.Alarms(p.Left(o)) {
				return "fall"
			}
			return "" // the dearest element of each draw is a loss
		}),
		{Title: "label.currency", Text: func(*exposure.Outcome) string { return p.Currency.Code }},
	}
	if p.Changes || len(p.blocked) > 0 {
		columns = append(columns, kit.Column[exposure.Outcome]{Cell: func(v *kit.View, o *exposure.Outcome) kit.Cell {
			return v.Part("block", &blockView{page: p, outcome: o})
		}})
	}
	return columns
}

// address is that of an action on the blocks of the draw.
func (p *exposurePage) address(action string) string {
	return path + "/" + p.Draw.ID.String() + action + "?currency=" + p.Currency.Code
}

func reasonInput() kit.Input { return kit.TextInput("reason", "label.reason", 300).Required() }

// blockView is what can be done with an outcome, which an answer to a script replaces.
type blockView struct {
	page    *exposurePage
	outcome *exposure.Outcome

	Focus bool // the answer gets the focus
}

// ID is the id of its element.
func (b *blockView) ID() string { return "b-" + b.outcome.Value + b.outcome.Sign }

// Blocked is the block of the element; nil without one.
func (b *blockView) Blocked() *blockedElement { return b.page.blockOf(b.outcome.Value) }

// Block asks for the reason to block an element that can be sold; nil where nothing can be blocked.
func (b *blockView) Block(v *kit.View) *kit.Question {
	if !b.page.Changes || b.Blocked() != nil {
		return nil
	}
	p, o := b.page, b.outcome
	ask := v.T("exposure.block.ask", openrisk.OutcomeText(o), p.Game, v.Clock(p.Draw.Time))
	return v.Question(v.T("exposure.block"), p.address("/block"), ask, v.T("exposure.block.do")).With("element", o.Value).With("sign", o.Sign).
		Highlight(v.T("exposure.block.due", v.Money(o.Liability, p.Currency.Digits), p.Currency.Unit())).
		WithForm(kit.NewForm(reasonInput()).WithPrefix("b-" + o.Value + o.Sign + "-")).Swapping("#" + b.ID())
}

// LimitLink is the form of a new limit of the element.
func (b *blockView) LimitLink() string {
	fields := url.Values{"game": {b.page.Draw.GameID.String()}, "element": {b.outcome.Value}, "currency": {b.page.Currency.Code}}
	return limitsPath + "/new?" + fields.Encode()
}

// Unblock is the button that sells the element again; nil if the user cannot.
func (b *blockView) Unblock(v *kit.View) *kit.Question {
	block := b.Blocked()
	if block == nil || !block.Own || !b.page.Own {
		return nil
	}
	return b.page.unblock(v, block).With("element", b.outcome.Value).With("sign", b.outcome.Sign).Swapping("#" + b.ID())
}

func (p *exposurePage) unblock(v *kit.View, block *blockedElement) *kit.Question {
	press := v.ActionButton(p.address("/unblock"), v.T("exposure.unblock", block.Element))
	for _, id := range block.IDs {
		press.With("block", id.String())
	}
	return press
}

// Block is the form that blocks any element of the draw.
func (p *exposurePage) Block(v *kit.View) *kit.Question {
	return v.Question("", p.address("/block"), "", v.T("exposure.block.do")).
		WithForm(kit.NewForm(kit.TextInput("element", "limits.element", elementLength).With("spellcheck=false").SuggestFrom(limitsPath+"/elements").Required(), reasonInput()))
}

func (p *exposurePage) blockColumns() []kit.Column[blockedElement] {
	columns := []kit.Column[blockedElement]{
		kit.MonoColumn("limits.element", func(b *blockedElement) string { return b.Element }),
		kit.TextColumn("label.entity", func(b *blockedElement) string { return b.Entity }),
		kit.TextColumn("label.currency", func(b *blockedElement) string { return b.Currencies }),
		kit.TextColumn("label.reason", func(b *blockedElement) string { return b.Reason }),
		kit.TimeColumn("label.time", func(b *blockedElement) time.Time { return b.UpdatedAt }),
	}
	if p.Own {
		columns = append(columns, kit.Column[blockedElement]{Cell: p.unblockCell})
	}
	return columns
}

// unblockCell is the button that sells an element again.
func (p *exposurePage) unblockCell(v *kit.View, b *blockedElement) kit.Cell {
	if len(b.IDs) == 0 {
		return kit.Cell{Text: v.T("exposure.block.above"), Style: "faint"}
	}
	return v.ButtonCell(p.unblock(v, b))
}
