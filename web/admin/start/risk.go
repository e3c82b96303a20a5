package start

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/risk"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

const (
	nearLimit = 90 // percent of a limit from which its draw waits for a hand
	shownNear = 3  // draws near their limit, those that use most of it; and spent limits
)

// dayRisk are the draws on sale with what they may cost.
type dayRisk struct {
	currency ledger.Currency
	draws    map[uuid.UUID]*openrisk.Draw
	near     []*openrisk.Draw // near a limit, the one that uses most of it first
	spent    []spent          // of the draw that is next first
}

// spent is a limit that allows no more sales of a selection, which needs no hand.
type spent struct {
	*openrisk.Used

	draw   *openrisk.Draw
	raises bool // the user may raise the limit
}

func (p *pages) loadRisk(r *kit.Request, chosen ledger.Currency) (*dayRisk, error) {
	reader := openrisk.Reader{Services: p.Services}
	open, err := reader.Read(r, chosen)
	if err != nil {
		return nil, err
	}
	d := &dayRisk{currency: chosen, draws: make(map[uuid.UUID]*openrisk.Draw, len(open.List))}
	for i := range open.List {
		draw := &open.List[i]
		d.draws[draw.ID] = draw
		if !draw.OpenAt(r.Now()) {
			continue
		}
		if draw.Used != nil && draw.Used.Percent() >= nearLimit {
			d.near = append(d.near, draw)
		}
		for i := range draw.Spent {
			d.spent = append(d.spent, spent{Used: &draw.Spent[i], draw: draw})
		}
	}
	slices.SortStableFunc(d.near, func(a, b *openrisk.Draw) int {
		return cmp.Or(cmp.Compare(b.Used.Share(), a.Used.Share()), a.Time.Compare(b.Time))
	})
	slices.SortStableFunc(d.spent, func(a, b spent) int { return a.draw.Time.Compare(b.draw.Time) })
	return d, p.markRaisable(r, d.spent[:min(len(d.spent), shownNear)])
}

// markRaisable marks the limits that the user may raise.
func (p *pages) markRaisable(r *kit.Request, list []spent) error {
	if !r.MayOpen(links.Limits) || !r.May(auth.RiskWrite) {
		return nil
	}
	for i := range list {
		limit, err := p.Limits.Limit(r.Context(), r.Caller, list[i].LimitID)
		if errors.Is(err, risk.ErrLimitNotFound) { // it was removed since
			continue
		}
		if err != nil {
			return err
		}
		list[i].raises = !limit.SetAbove(r.Caller)
	}
	return nil
}

// drawsIn loads the draws of today with their amounts in a currency, for users who may read them: totals for those who read reports, risk for
// those who read the exposure.
func (p *pages) drawsIn(r *kit.Request, chosen ledger.Currency, totals, active bool) (*dayDraws, error) {
	if !r.MayOpen(links.Draws) {
		return nil, nil //nolint:nilnil // the page has no such part then
	}
	var risk *dayRisk
	if active && r.MayOpen(links.Exposure) {
		var err error
		if risk, err = p.loadRisk(r, chosen); err != nil {
			return nil, err
		}
	}
	if !totals {
		chosen.Code = ""
	}
	return p.loadDraws(r, risk, chosen.Code)
}

// address is the page where a number of the draw is blocked.
func (d *dayRisk) address(draw *openrisk.Draw) string {
	return links.Exposure + "/" + draw.ID.String() + "?" + currency.Param + "=" + d.currency.Code
}

// tasks are the draws near a limit, and one line about the others.
func (d *dayRisk) tasks(v *kit.View) []task {
	var list []task
	for i, draw := range d.near {
		if i == shownNear {
			others := int64(len(d.near) - i)
			return append(list, counted(v, kit.ToneWaiting, "start.task.near.others", others, links.Exposure))
		}
		text := v.T("start.task.near", draw.Game, v.Clock(draw.Time), draw.Used.Name, draw.Used.Percent())
		list = append(list, task{Tone: kit.ToneTrouble, Text: text, Link: d.address(draw), Do: "start.task.near.do"})
	}
	return list
}

// notes are the spent limits, and one line about the others. They wait for no hand.
func (d *dayRisk) notes(v *kit.View) []task {
	var list []task
	for i := range d.spent {
		s := &d.spent[i]
		if i == shownNear {
			return append(list, counted(v, kit.ToneOff, "start.note.spent.others", int64(len(d.spent)-i), links.Exposure))
		}
		text := v.T("start.note.spent", s.draw.Game, v.Clock(s.draw.Time), s.Name)
		note := task{Tone: kit.ToneOff, Text: text, Link: d.address(s.draw), Do: "start.note.spent.do"}
		if s.raises {
			note.Do, note.Link = "start.note.spent.raise", links.Limits+"/"+s.LimitID.String()
		}
		list = append(list, note)
	}
	return list
}

// sold is what was sold on a draw, and worst what its dearest outcome costs as a part of what the house lets the draw cost.
func (d *dayRisk) sold(v *kit.View, draw uuid.UUID) kit.Cell {
	found := d.draws[draw]
	if found == nil || found.Sales == 0 {
		return kit.Cell{}
	}
	return kit.Text(v.Money(found.Sales, d.currency.Digits))
}

func (d *dayRisk) worst(v *kit.View, draw uuid.UUID) kit.Cell {
	found := d.draws[draw]
	if found == nil || found.Due() == 0 {
		return kit.Cell{}
	}
	label := v.Whole(found.Due(), d.currency.Digits)
	if found.Bound.Amount == 0 {
		return kit.Text(label)
	}
	return v.MeterCell(&kit.Meter{Percent: found.Bound.Share(found.Due()), Label: label, Spent: found.Stopped()}).WithSecondLine(found.Bound.ShareText(v, found.Due()))
}
