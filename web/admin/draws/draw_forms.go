package draws

import (
	"cmp"
	"slices"
	"strconv"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/web/kit"
)

// reasonLength bounds the reason of a change of a draw.
const reasonLength = 500

func reasonInput() kit.Input {
	return kit.TextInput("reason", "label.reason", reasonLength).Required()
}

// outcomeInputs are the fields of a result of a game.
func outcomeInputs(r *kit.Request, game *catalog.Game, o *catalog.Outcome) []kit.Input {
	m := game.Mechanics()
	inputs := []kit.Input{
		kit.TextInput("value", "label.result", 60).With("autocomplete=off spellcheck=false").
			Suggest(elementOptions(game)).Required().Into(&o.Value),
	}
	if m.Sign {
		signs := append([]kit.Option{{}}, kit.TextOptions(catalog.Signs()...)...)
		inputs = append(inputs, kit.ChoiceInput("sign", "draw.sign", signs).Required().Into(&o.Sign))
	}
	if len(m.Wildcards) > 0 {
		cards := append([]kit.Option{{Text: r.T("draw.none")}}, modifierOptions(m.Wildcards)...)
		inputs = append(inputs, kit.ChoiceInput("wildcard", "draw.wildcard", cards).Into(&o.Wildcard))
	}
	if len(m.Flags) > 0 {
		inputs = append(inputs, kit.ChecksInput("flag", "draw.flags", modifierOptions(m.Flags)).Into(&o.Flags))
	}
	return inputs
}

func modifierOptions(modifiers []catalog.Modifier) []kit.Option {
	return kit.OptionsOf(modifiers, func(m catalog.Modifier) (value, text string) { return m.Code, cmp.Or(m.Name, m.Code) })
}

// form returns a form of a result, with what was typed and fields after those of the result.
func (d *drawPage) form(prefix string, last ...kit.Input) *kit.Form {
	return kit.NewForm(append(slices.Clone(d.outcome), last...)...).WithPrefix(prefix).FillFrom(d.request)
}

// ask returns a question whose texts are those of an action of draws.
func (d *drawPage) ask(v *kit.View, action string, about ...any) *kit.Question {
	title := v.T("draw." + action)
	return v.Question(title, path+"/"+d.ID.String()+"/"+action, v.T("draw."+action+".ask", about...), title).WithID(action)
}

// Type asks for a result, to enter or to verify it.
func (d *drawPage) Type(v *kit.View, action string) *kit.Question {
	return d.ask(v, action).WithForm(d.form(action[:1] + "-"))
}

// Correction is the form of another result in place of the verified one.
func (d *drawPage) Correction(v *kit.View) *kit.FormView { return d.form("c-", reasonInput()).View(v) }

// Rejections ask for the reason to reject a proposed result, each of several under its version.
func (d *drawPage) Rejections(v *kit.View) []*kit.Question {
	questions := make([]*kit.Question, len(d.Proposals))
	for i := range d.Proposals {
		proposed := &d.Proposals[i]
		do := v.T("draw.reject")
		title := do
		if len(d.Proposals) > 1 {
			title += " · " + v.T("draw.version") + " " + strconv.Itoa(proposed.Version) + ", " + originText(v, proposed)
		}
		questions[i] = v.Question(title, path+"/"+d.ID.String()+"/reject", "", do).
			With("result", proposed.ID.String()).WithForm(kit.NewForm(reasonInput()).WithPrefix("reject-" + strconv.Itoa(proposed.Version) + "-"))
	}
	return questions
}

// AcceptSeal asks for the reason to accept tickets that do not fit the seal.
func (d *drawPage) AcceptSeal(v *kit.View) *kit.Question {
	q := d.ask(v, "seal").Irreversible(true).WithForm(kit.NewForm(reasonInput()).WithPrefix("seal-"))
	if s := d.Seal; s != nil {
		q.Highlight(v.T("draw.seal.proposed", s.Sealed, s.Tickets, s.Reason)).Highlight(s.Broken).Highlight(s.Seal)
	}
	return q
}

// Suspend asks for the reason to suspend the draw, which gives back what was staked.
func (d *drawPage) Suspend(v *kit.View) *kit.Question {
	q := d.ask(v, "suspend", d.Name(v)).Irreversible(true).WithForm(kit.NewForm(reasonInput()).WithPrefix("suspend-"))
	for i := range d.sold {
		s := &d.sold[i]
		q.Highlight(v.T("draw.suspend.amount", v.Money(s.Stakes, s.Currency.Digits), s.Currency.Unit(), s.Tickets))
	}
	return q
}

// originText says where a result comes from.
func originText(v *kit.View, r *draws.Result) string {
	text := v.T("origin." + r.Origin)
	if r.Source != "" {
		text += " · " + sourceText(v, r.Source)
	}
	return text
}

// sourceText is the name of a source of results.
func sourceText(v *kit.View, source string) string {
	return cmp.Or(v.FirstText("source."+source), source)
}
