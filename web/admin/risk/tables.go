package risk

import (
	"strings"
	"time"

	"banca/internal/exposure"
	"banca/internal/money"
	"banca/internal/sheet"
	"banca/web/kit"
)

// columns are those of the outcomes of a draw; in the file, amounts have a point.
func (p *exposurePage) columns() []kit.Column[exposure.Outcome] {
	amount := func(title string, of func(*exposure.Outcome) money.Amount) kit.Column[exposure.Outcome] {
		return kit.AmountColumn(title, func(o *exposure.Outcome) (money.Amount, int) { return of(o), p.Currency.Digits })
	}
	columns := []kit.Column[exposure.Outcome]{
		{
			Title: "label.element", Text: func(o *exposure.Outcome) string { return o.Value },
			Cell: func(_ *kit.View, o *exposure.Outcome) kit.Cell {
				return kit.Mono(strings.TrimSpace(o.Value + " " + o.Sign))
			},
		},
		{Title: "label.sign", Text: func(o *exposure.Outcome) string { return o.Sign }},
		{Title: "label.name", Text: func(o *exposure.Outcome) string { return o.Name }, Cell: p.nameCell},
		amount("label.stake", func(o *exposure.Outcome) money.Amount { return o.Stake }),
		{
			Title: "label.share", Number: true, File: func(o *exposure.Outcome) sheet.Cell { return sheet.Percent(o.Share) },
			Cell: func(v *kit.View, o *exposure.Outcome) kit.Cell { return kit.Text(v.Hundredths(o.Share) + " %") },
		},
		amount("label.liability", func(o *exposure.Outcome) money.Amount { return o.Liability }),
		amount("label.announced", func(o *exposure.Outcome) money.Amount { return o.Announced }),
		amount("label.house", func(o *exposure.Outcome) money.Amount { return o.Result }),
		{Title: "label.currency", Text: func(*exposure.Outcome) string { return p.Currency.Code }},
	}
	if p.Changes {
		columns = append(columns, kit.Column[exposure.Outcome]{Cell: p.blockCell})
	}
	return columns
}

func (p *exposurePage) nameCell(v *kit.View, o *exposure.Outcome) kit.Cell {
	cell := kit.Text(o.Name)
	if p.blocked[o.Value] {
		cell.Badges = []kit.Badge{v.State("element", "blocked")}
	}
	return cell
}

// address is that of an action on the blocks of the draw.
func (p *exposurePage) address(action string) string {
	return path + "/" + p.Draw.ID.String() + action
}

func reasonInput() kit.Input { return kit.TextInput("reason", "label.reason", 300).Required() }

// blockCell asks for the reason to block an element that can be sold.
func (p *exposurePage) blockCell(v *kit.View, o *exposure.Outcome) kit.Cell {
	if p.blocked[o.Value] {
		return kit.None()
	}
	ask := v.T("exposure.block.ask", o.Name, p.Game, p.Draw.Number)
	return v.QuestionCell(v.Question(v.T("exposure.block"), p.address("/block"), ask, v.T("exposure.block.do")).
		With("element", o.Value).WithForm(kit.NewForm(reasonInput()).WithPrefix("b-" + o.Value + o.Sign + "-")).Irreversible(true))
}

// Block is the form that blocks any element of the draw.
func (p *exposurePage) Block(v *kit.View) *kit.Question {
	return v.Question("", p.address("/block"), "", v.T("exposure.block.do")).
		WithForm(kit.NewForm(kit.TextInput("element", "label.element", 8).Required(), reasonInput())).Irreversible(true)
}

func (p *exposurePage) blockColumns() []kit.Column[blockedElement] {
	columns := []kit.Column[blockedElement]{
		kit.MonoColumn("label.element", func(b *blockedElement) string { return b.Element }),
		kit.TextColumn("label.entity", func(b *blockedElement) string { return b.Entity }),
		kit.TextColumn("label.currency", func(b *blockedElement) string { return b.Currencies }),
		kit.TextColumn("label.reason", func(b *blockedElement) string { return b.Reason }),
		kit.TimeColumn("label.time", func(b *blockedElement) time.Time { return b.UpdatedAt }),
	}
	if p.Changes {
		columns = append(columns, kit.Column[blockedElement]{Cell: p.unblockCell})
	}
	return columns
}

// unblockCell is the button that sells an element again.
func (p *exposurePage) unblockCell(v *kit.View, b *blockedElement) kit.Cell {
	press := v.ActionButton(p.address("/unblock"), v.T("exposure.unblock", b.Element))
	for _, id := range b.IDs {
		press.With("block", id.String())
	}
	return v.ButtonCell(press)
}
