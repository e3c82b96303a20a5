package start

import (
	"cmp"
	"slices"
	"time"

	"banca/internal/draws"
	"banca/models"
	"banca/web/kit"
)

const maxDraws = 500 // of a day

// dayDraws are the draws of today that are next and that have passed.
type dayDraws struct {
	Next    []draws.View // on sale, the next to close first
	Results []draws.View // drawn, the last first
	Waiting int64        // drawn, without a verified result

	risk bool // the user may open the exposure
}

// loadDraws loads the draws of today.
func (p *pages) loadDraws(r *kit.Request) (*dayDraws, error) {
	now := r.Now()
	list, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{Date: r.Today(), Now: now, Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	d := &dayDraws{risk: r.MayOpen(riskPath)}
	for i := range list {
		view := &list[i]
		if !r.Caller.IsOperator() { // what awaits its second person is no result yet
			view.Proposed = ""
		}
		switch {
		case view.Status == models.DrawOpen && view.SaleStopAt.After(now):
			d.Next = append(d.Next, *view)
		case view.Time.After(now) || view.Status == models.DrawSuspended:
		default:
			d.Results = append(d.Results, *view)
			if view.Value == "" {
				d.Waiting++
			}
		}
	}
	slices.SortStableFunc(d.Next, func(a, b draws.View) int { return a.SaleStopAt.Compare(b.SaleStopAt) })
	slices.SortStableFunc(d.Results, func(a, b draws.View) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Game.Name, b.Game.Name))
	})
	d.Next, d.Results = d.Next[:min(len(d.Next), shownRows)], d.Results[:min(len(d.Results), shownRows)]
	return d, nil
}

// Closings is the table of the draws that close next.
func (d *dayDraws) Closings() kit.Rows {
	return kit.RowsOf([]kit.Column[draws.View]{
		{Title: "label.draw", Cell: func(v *kit.View, view *draws.View) kit.Cell {
			return kit.Text(view.Game.Name + " " + hourOf(v, view.Time))
		}},
		{Title: "start.closes", Cell: func(v *kit.View, view *draws.View) kit.Cell { return v.CountdownCell(view.SaleStopAt) }},
	}, d.Next, func(view *draws.View) string {
		if d.risk {
			return riskPath + "/" + view.ID.String()
		}
		return drawsPath + "/" + view.ID.String()
	}, "start.none.open")
}

// Drawn is the table of the last results.
func (d *dayDraws) Drawn() kit.Rows {
	return kit.RowsOf([]kit.Column[draws.View]{
		{Title: "label.draw", Cell: func(v *kit.View, view *draws.View) kit.Cell {
			return kit.Text(view.Game.Name + " " + hourOf(v, view.Time))
		}},
		{Title: "label.result", Cell: func(_ *kit.View, view *draws.View) kit.Cell { return kit.Text(view.Value) }},
		{Title: "label.state", Cell: func(v *kit.View, view *draws.View) kit.Cell { return kit.Badges(v.State("drawn", drawnState(view))) }},
	}, d.Results, func(view *draws.View) string { return drawsPath + "/" + view.ID.String() }, "start.none.drawn")
}

// tones are those of the states of drawnState.
func tones() kit.Tones {
	return kit.Tones{kit.ToneOK: {"drawn.verified"}, kit.ToneWaiting: {"drawn.proposed"}, kit.ToneTrouble: {"drawn.waiting"}}
}

// drawnState is the state of a draw whose time has passed, as people ask for it.
func drawnState(view *draws.View) string {
	switch {
	case view.Value != "":
		return "verified"
	case view.Proposed != "":
		return "proposed"
	default:
		return "waiting"
	}
}

// hourOf formats the time of a draw of today.
func hourOf(v *kit.View, at time.Time) string { return v.Clock(at) }
