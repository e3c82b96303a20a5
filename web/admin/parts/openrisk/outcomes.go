package openrisk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/risk/exposure"
	"banca/web/kit"
)

// dearestTop bounds the outcomes of the table of a draw's page.
const dearestTop = 10

// Costly returns the outcomes that have a liability of a list with the dearest first.
func Costly(top []exposure.Outcome) []exposure.Outcome {
	free := slices.IndexFunc(top, func(o exposure.Outcome) bool { return o.Liability == 0 })
	if free < 0 {
		return top
	}
	return top[:free]
}

// JoinSigns returns outcomes with one outcome for the signs of a number that cost the same: a bet without a sign costs on each sign.
func JoinSigns(r *kit.Request, top []exposure.Outcome) []exposure.Outcome {
	return kit.FoldAlike(top, kit.Alike[exposure.Outcome]{
		Kind: func(o *exposure.Outcome) string { return fmt.Sprint(o.Value, o.Stake, o.Liability, o.Announced) },
		Keep: func(o *exposure.Outcome) bool { return o.Sign == "" },
		Fold: func(o *exposure.Outcome, signs int) {
			if o.Sign, o.Name = "", ""; signs < len(catalog.Signs()) {
				o.Name = r.Say("exposure.signs", signs)
			}
		},
	})
}

// Liability is the liability of an outcome.
func Liability(o *exposure.Outcome) money.Amount { return o.Liability }

// Greatest is the liability of the dearest outcome of a list, its first one; 0 without outcomes.
func Greatest(top []exposure.Outcome) money.Amount {
	if len(top) == 0 {
		return 0
	}
	return top[0].Liability
}

// OutcomeText is an outcome with its name, such as 5 León or 042 Leo; 042 if its sign makes no difference.
func OutcomeText(o *exposure.Outcome) string {
	if o.Name == "" || o.Name == o.Value || o.Sign != "" {
		return cmp.Or(o.Name, o.Value)
	}
	return o.Value + " " + o.Name
}

// WorstText is the dearest outcome of a draw as OutcomeText writes it; "" without an outcome. The sign makes no difference if no bet on the number has a sign.
func WorstText(d *exposure.DrawRisk) string {
	if d.Worst == nil {
		return ""
	}
	o := *d.Worst
	decides := func(s exposure.Selection) bool {
		number, sign, _ := strings.Cut(s.Selection, ",")
		return sign == o.Sign && strings.Contains(o.Value, number)
	}
	if o.Sign != "" && !slices.ContainsFunc(d.Selections, decides) {
		o.Sign, o.Name = "", ""
	}
	return OutcomeText(&o)
}

// SelectionText is a selection of a bet as OutcomeText writes an outcome; of an unknown game, which is nil, its code.
func SelectionText(game *catalog.Game, selection string) string {
	value, sign, several := strings.Cut(selection, ",")
	switch {
	case catalog.SignName(sign) != "":
		return value + " " + catalog.SignName(sign)
	case game == nil:
		return selection
	case several:
		return game.NameOf(selection)
	}
	return game.ResultText(value)
}

// Dearest returns the dearest outcomes that have a liability, at most count, and the drawn outcome. drawn is the value of a result as draws.View has it; ""
// without a result.
func Dearest(r *kit.Request, top []exposure.Outcome, count int, drawn string) []exposure.Outcome {
	rows := JoinSigns(r, Costly(top))
	rows = slices.Clip(rows[:min(len(rows), count)])
	is := func(o exposure.Outcome) bool { return isDrawn(&o, drawn) }
	if at := slices.IndexFunc(top, is); at >= 0 && !slices.ContainsFunc(rows, is) {
		rows = append(rows, top[at])
	}
	return rows
}

// isDrawn reports whether an outcome is the drawn one. An outcome that stands for several signs is not: the drawn sign may not be among them.
func isDrawn(o *exposure.Outcome, drawn string) bool {
	value, further, _ := strings.Cut(drawn, " ")
	sign, _, _ := strings.Cut(further, " ")
	if catalog.SignName(sign) == "" { // a wildcard or a flag
		sign = ""
	}
	return drawn != "" && o.Value == value && o.Sign == sign
}

// Past is the end of the keys of texts about the outcomes of a draw that has a drawn one.
func Past(drawn string) string {
	if drawn != "" {
		return ".past"
	}
	return ""
}

// OutcomeColumn names outcomes and marks the drawn one.
func OutcomeColumn(drawn string) kit.Column[exposure.Outcome] {
	return kit.TextColumn("exposure.outcome"+Past(drawn), OutcomeText).WithCell(func(v *kit.View, o *exposure.Outcome) kit.Cell {
		cell := kit.Cell{Text: OutcomeText(o), Style: "strong"}
		if isDrawn(o, drawn) {
			cell.Badges = []kit.Badge{v.State("element", "drawn")}
		}
		return cell
	})
}

// WithDearest reads a draw in a currency, and the table of its dearest outcomes. With a drawn outcome, which is that of Dearest, the draw is nil. Errors: catalog.ErrDrawNotFound, and
// see Read.
func (rd *Reader) WithDearest(r *kit.Request, in ledger.Currency, id uuid.UUID, drawn string) (*Draw, kit.Rows, error) {
	e, err := rd.Exposure.RecentOf(r.Context(), r.Caller, &exposure.Request{DrawID: id, Currency: in.Code, Top: exposure.MaxTop})
	if err != nil {
		return nil, nil, err
	}
	rows := Dearest(r, e.Top, dearestTop, drawn)
	amount := kit.AmountsOf(func(*exposure.Outcome) int { return e.Currency.Digits })
	table := kit.RowsOf([]kit.Column[exposure.Outcome]{
		OutcomeColumn(drawn),
		amount("label.stake", func(o *exposure.Outcome) money.Amount { return o.Stake }),
		amount("label.liability"+Past(drawn), Liability).WithBar(Liability, Greatest(rows), 0),
		kit.CurrencyColumn(func(*exposure.Outcome) (code, symbol string) { return e.Currency.Code, e.Currency.Unit() }),
	}, rows, nil, "exposure.empty")
	if drawn != "" {
		return nil, table, nil
	}
	draw, err := rd.Of(r, in, &e.Draw)
	return draw, table, err
}
