package risk

import (
	"banca/internal/risk"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

// use is how much of a limit a selection of a draw on sale uses.
type use struct {
	risk.Usage

	Draw, Selection, Bet string
	digits               int
}

// uses returns the selections that use most of a limit, at most top, and the number of all.
func (p *pages) uses(r *kit.Request, sold *openrisk.Sold, limit *risk.Limit, top int) ([]use, int, error) {
	found, err := p.Limits.UsesOf(r.Context(), limit, sold.Of(limit))
	return kit.Map(found[:min(top, len(found))], func(u *risk.Usage) use { return named(r, sold, limit, u) }), len(found), err
}

// named adds the names of the draw and the selection of a usage.
func named(r *kit.Request, sold *openrisk.Sold, limit *risk.Limit, u *risk.Usage) use {
	draw, game := sold.Draw(u.DrawID)
	return use{*u, game.Name + " " + r.View().Clock(draw.Time), openrisk.SelectionText(game, u.Selection), u.BetType, limit.Currency.Digits}
}

// effect says what a limit stops of the draws on sale before it is saved, and what has sold most. blank means that no amount is typed yet.
func (p *pages) effect(r *kit.Request, sold *openrisk.Sold, draft *risk.Limit, blank bool) ([]string, error) {
	e, err := p.Limits.EffectOf(r.Context(), draft, sold.Of(draft))
	v := r.View()
	if err != nil || e.Most == nil {
		return []string{v.T("limits.uses.none")}, err
	}
	u := named(r, sold, draft, e.Most)
	most := v.T("limits.effect."+draft.Metric, u.Selection, u.Draw, currency.Text(v, u.Sold, draft.Currency))
	switch {
	case blank:
		return []string{most}, nil
	case e.All:
		return []string{v.T("limits.effect.all"), most}, nil
	case e.Spent == 0:
		return []string{v.T("limits.effect.none"), most}, nil
	}
	return []string{v.N("limits.effect", e.Spent), most}, nil
}
