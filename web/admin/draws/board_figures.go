package draws

import (
	"github.com/google/uuid"

	"banca/internal/draws"
	"banca/internal/exposure"
	"banca/internal/reports"
	"banca/web/kit"
)

// boardFigures is what the draws of a board sold, won and may cost.
type boardFigures struct {
	totals *reports.Draws
	won    map[uuid.UUID]draws.Won
	risks  *exposure.Board // of the draws without a result
}

// loadFigures loads the figures that the user may see.
func (p *pages) loadFigures(r *kit.Request, page *boardPage) error {
	figures, err := p.readFigures(r, page)
	if err != nil {
		return err
	}
	for i := range page.slots {
		s := &page.slots[i]
		if figures.totals != nil {
			f := figures.totals.ByDraw[s.ID]
			s.take(&f, figures.won[s.ID])
			if page.Tickets {
				s.Tickets = int64(s.SealedTickets)
			}
		}
		if figures.risks != nil {
			s.risk(figures.risks.ByDraw[s.ID])
		}
	}
	if figures.totals != nil {
		page.AsOf = figures.totals.AsOf
	}
	return nil
}

// readFigures reads the figures of a board at the same time.
func (p *pages) readFigures(r *kit.Request, page *boardPage) (*boardFigures, error) {
	asOf, err := p.Reports.AsOf(r.Context())
	if err != nil {
		return nil, err
	}
	figures := &boardFigures{}
	ctx := r.Context()
	var parts kit.Parts
	read := func(wanted bool, part func() error) {
		if wanted {
			parts.Go(part)
		}
	}
	all := page.ids(func(*slot) bool { return true })
	read(page.Money && len(all) > 0, func() (err error) {
		figures.totals, err = p.Reports.Draws(ctx, r.Caller, page.Currency.Code, all)
		return err
	})
	drawn := page.ids(func(s *slot) bool { return s.Value != "" })
	read(page.Money && len(drawn) > 0, func() (err error) {
		figures.won, err = p.Draws.WonOn(ctx, r.Caller, page.Currency.ID, drawn, asOf)
		return err
	})
	undecided := page.undecided()
	read(page.Risk && len(undecided) > 0, func() (err error) {
		figures.risks, err = p.Exposure.RecentBoard(ctx, r.Caller, page.Currency.Code, undecided)
		return err
	})
	return figures, parts.Wait()
}

// ids are the ids of the draws for which include is true.
func (p *boardPage) ids(include func(s *slot) bool) []uuid.UUID {
	var ids []uuid.UUID
	for i := range p.slots {
		if include(&p.slots[i]) {
			ids = append(ids, p.slots[i].ID)
		}
	}
	return ids
}

// undecided are the draws that can still cost something that is not known.
func (p *boardPage) undecided() []exposure.DrawOf {
	var list []exposure.DrawOf
	for i := range p.slots {
		if s := &p.slots[i]; s.undecided() {
			list = append(list, exposure.DrawOf{DrawID: s.ID, GameID: s.Game.ID})
		}
	}
	return list
}

// risk takes what the draw may cost, and its sales up to now; nil for a draw that was not sold.
func (s *slot) risk(of *exposure.DrawRisk) {
	if of == nil {
		return
	}
	fees := s.Sold - s.Kept
	s.Sold, s.Tickets = of.Sales, of.Tickets
	s.Kept = s.Sold - fees
	if of.Worst != nil {
		s.Worst, s.Name = of.Worst.Liability, of.Worst.Name
	}
}
