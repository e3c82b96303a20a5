package draws

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/risk/exposure"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

const (
	boardPath   = path + "/board"
	resultsPath = path + "/results"
	maxDraws    = 2000 // of a day
)

// boardPage is the board of the day: the draws of a day by game and hour.
type boardPage struct {
	Day        businessday.Day
	Currency   ledger.Currency
	Currencies []kit.Choice
	AsOf       time.Time // of the money of the draws that are not on sale any more; zero for users without reports
	Games      []boardGame
	Hours      []int // of the day
	Folds      bool  // the hours that are over are folded
	Entering   bool  // the user may open the board of results

	quietGames []boardGame

	Over  map[int]bool // hours that are over, without a draw that waits for something
	Later map[int]bool // hours after the next one, which a phone folds, too

	Money   bool // the user sees sales and prizes
	Risk    bool // the user sees what may be due
	Tickets bool // the numbers of tickets are those of the operator

	now   time.Time // in the time zone of business
	slots []slot
}

// boardGame is the row of a game. The slots of an hour are in the order of their times.
type boardGame struct {
	ID    uuid.UUID
	Name  string
	Slots map[int][]*slot
	Quiet bool // nothing was sold, and no draw waits for anything
}

// slot is a draw on the board.
type slot struct {
	draws.View

	Sold    money.Amount // net
	Kept    money.Amount // net sales less commissions
	Prizes  money.Amount // of the lines that won
	Winners int          // tickets
	Tickets int64        // 0 if the number is not known
	Worst   money.Amount // due for the dearest outcome; 0 for a draw with a result
	Name    string       // of the dearest outcome
	Hour    int
	Minute  int
}

// board shows the board, or sends its draws as a file.
func (p *pages) board(r *kit.Request) error {
	page, err := p.loadBoard(r)
	if err != nil {
		return err
	}
	if r.WantsFile() {
		return kit.SendFile(r, "day", page.columns(), kit.OnePage(page.slots))
	}
	r.OfferFile()
	return r.Render("board", page)
}

// dayOf returns the day in the address; an invalid one means today.
func dayOf(r *kit.Request) businessday.Day {
	if day := r.QueryDay("date"); !day.IsZero() {
		return day
	}
	return r.Today()
}

// showFilter shows the choice of a day and a game.
func (p *pages) showFilter(r *kit.Request, day businessday.Day) error {
	filter, err := p.filterOf(r, day)
	if err == nil {
		r.ShowFilter(filter)
	}
	return err
}

func (p *pages) loadBoard(r *kit.Request) (*boardPage, error) {
	page := newBoard(r)
	page.Day, page.Entering = dayOf(r), r.MayOpen(resultsPath)
	if err := p.showFilter(r, page.Day); err != nil {
		return nil, err
	}
	views, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{Date: page.Day, GameID: r.QueryID(tabs.Game), Now: r.Now(), Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	if page.Currency, page.Currencies, err = currency.ChooseOne(r, p.Ledger); err != nil {
		return nil, err
	}
	if err := p.loadSlots(r, page, views); err != nil {
		return nil, err
	}
	return page, p.arrange(r, page)
}

// newBoard returns a board without draws, with the figures that the user may see.
func newBoard(r *kit.Request) *boardPage {
	return &boardPage{Money: r.May(auth.ReportsRead), Risk: r.May(auth.RiskRead) && r.Caller.Role != models.RoleTaquilla, Tickets: r.Caller.IsOperator(), now: r.Now()}
}

// loadSlots adds draws with their figures in the currency of the board.
func (p *pages) loadSlots(r *kit.Request, page *boardPage, views []draws.View) error {
	page.slots = make([]slot, len(views))
	for i := range views {
		page.slots[i] = slot{View: views[i]}
		if !page.Tickets {
			page.slots[i].Proposed = "" // what awaits its second person is no result yet
		}
		at := views[i].Time.In(r.Zone())
		page.slots[i].Hour, page.slots[i].Minute = at.Hour(), at.Minute()
	}
	return p.loadFigures(r, page)
}

// arrange puts the draws into the rows of their games, in the order of the games.
func (p *pages) arrange(r *kit.Request, page *boardPage) error {
	games, err := p.Catalog.Games(r.Context())
	if err != nil {
		return err
	}
	rows := make(map[uuid.UUID]*boardGame, len(games))
	for i := range page.slots {
		s := &page.slots[i]
		if rows[s.Game.ID] == nil {
			rows[s.Game.ID] = &boardGame{ID: s.Game.ID, Name: s.Game.Name, Slots: map[int][]*slot{}}
		}
		rows[s.Game.ID].Slots[s.Hour] = append(rows[s.Game.ID].Slots[s.Hour], s)
		if !slices.Contains(page.Hours, s.Hour) {
			page.Hours = append(page.Hours, s.Hour)
		}
	}
	slices.Sort(page.Hours)
	page.fold(r.Today())
	for _, game := range games {
		if row := rows[game.ID]; row != nil {
			if row.Quiet = page.quiet(row); row.Quiet {
				page.quietGames = append(page.quietGames, *row)
			} else {
				page.Games = append(page.Games, *row)
			}
		}
	}
	page.Games = append(page.Games, page.quietGames...)
	return nil
}

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
		s.Worst, s.Name = of.Worst.Liability, openrisk.WorstText(of)
	}
}
