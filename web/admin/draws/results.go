package draws

import (
	"cmp"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/drawstate"
	"banca/web/admin/parts/sentence"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

// Prefixes of the fields of a draw, before its id.
const (
	resultField   = "r-"
	wildcardField = "w-"
	flagField     = "f-"
)

// resultsPage is the board of results of a day: the draws that wait for a result, the draws that wait for a second person, and the entered results.
type resultsPage struct {
	Day       businessday.Day
	Query     template.URL // of the filter
	Game      string       // of the filter; empty for all
	Enter     []*resultRow // the user may type a result
	Verify    []*resultRow // the user may verify what others have typed, or a source has sent
	Wait      []*resultRow // another person must type a result
	Given     kit.Rows     // the other results, those to be verified first
	State     string       // of all of them; "" for several
	Grids     []grid       // of the games of the fields
	Elsewhere int64        // draws of other days that wait
	Refused   []*resultRow // what was sent and not saved
	Saved     int64        // of what was sent together with what was refused
}

// grid is the elements of a game, which its fields suggest.
type grid struct {
	GameID  uuid.UUID
	Options []kit.Option
}

// resultRow is a draw with its field.
type resultRow struct {
	slot

	Typed     string
	Problem   string // why the typed result was not saved
	Unsold    bool   // nothing was sold on the draw: a missing result delays no prize
	Wildcard  string // chosen
	Flags     []string
	Wildcards []kit.Option // that the game may draw
	AllFlags  []kit.Option
	Listed    bool   // the game has a grid to choose from
	Hint      string // of the code to type

	money     ledger.Currency // of Sold
	game      *catalog.Game
	proposals []draws.Result
}

func (p *pages) loadResults(r *kit.Request) (*resultsPage, error) {
	ctx, page := r.Context(), &resultsPage{Day: dayOf(r), Query: template.URL(filterQuery(r)), Game: r.Query(tabs.Game)} //nolint:gosec // encoded
	if err := p.showFilter(r, page.Day); err != nil {
		return nil, err
	}
	views, _, err := p.Draws.Views(ctx, &draws.ViewFilter{Date: page.Day, GameID: r.QueryID(tabs.Game), Waiting: true, Now: r.Now(), Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	_, all, err := p.Draws.Views(ctx, &draws.ViewFilter{GameID: r.QueryID(tabs.Game), Waiting: true, Now: r.Now(), Limit: 1})
	if err != nil {
		return nil, err
	}
	page.Elsewhere = all - int64(len(views))
	results, _, err := p.Draws.Results(ctx, r.Caller, &draws.ResultFilter{Date: page.Day, GameID: r.QueryID(tabs.Game), Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	board, err := p.boardIn(r)
	if err != nil {
		return nil, err
	}
	board.Risk = false
	if err := p.loadSlots(r, board, views); err != nil {
		return nil, err
	}
	for i := range board.slots {
		row, err := p.rowOf(r, &board.slots[i], results)
		if err != nil {
			return nil, err
		}
		row.money, row.Unsold = board.Currency, board.state(&row.slot) == drawstate.Unsold
		page.place(r, row)
	}
	return page, p.give(r, page, results)
}

// give adds the results that the user does not verify on the page.
func (p *pages) give(r *kit.Request, page *resultsPage, results []draws.Result) error {
	results = slices.DeleteFunc(results, func(v draws.Result) bool {
		return !v.ClosedAt.IsZero() || slices.ContainsFunc(page.Verify, func(row *resultRow) bool { return row.ID == v.DrawID })
	})
	slices.SortStableFunc(results, func(a, b draws.Result) int { return cmp.Compare(a.Status, b.Status) })
	results = results[:min(len(results), r.PageSize())]
	names, err := sentence.NamesOf(r, p.Activity, nil, kit.Map(results, func(v *draws.Result) uuid.UUID { return v.EnteredBy })...)
	if err != nil || len(results) == 0 {
		return err
	}
	page.State = kit.Common(results, func(d *draws.Result) string { return d.Status })
	page.Given = kit.RowsOf(kit.Hide([]kit.Column[draws.Result]{
		kit.WordColumn("draws.game", func(v *kit.View, d *draws.Result) string { return d.Game.Name + " " + v.TimeOfDay(d.Draw.Time) }),
		kit.WordColumn("label.result", func(v *kit.View, d *draws.Result) string {
			game, err := p.Catalog.Game(r.Context(), d.Game.ID) // kept in memory
			if err != nil || d.Status == models.ResultProposed && d.EnteredBy != r.Caller.UserID && mayVerify(r) {
				return v.T("draw.hidden")
			}
			return game.ResultText(d.Outcome.String())
		}).Strong(func(*draws.Result) bool { return true }),
		kit.WordColumn("label.origin", func(v *kit.View, d *draws.Result) string {
			return strings.Join(strings.Fields(originText(v, d)+" "+byWhom(v, names, d.EnteredBy)+" "+v.Clock(d.EnteredAt)), " ")
		}),
		kit.StateColumn("result", func(d *draws.Result) string { return d.Status }),
	}, map[string]bool{"label.state": page.State != ""}), results, func(d *draws.Result) string { return path + "/" + d.DrawID.String() }, "")
	return nil
}

// Entered are the draws to enter that had sales or whose result was refused, or, for unsold, all other draws to enter.
func (p *resultsPage) Entered(unsold bool) (list []*resultRow) {
	for _, row := range p.Enter {
		if (row.Unsold && row.Problem == "") == unsold {
			list = append(list, row)
		}
	}
	return list
}

// filterQuery returns the filter of the views of draws.
func filterQuery(r *kit.Request) string {
	query := url.Values{tabs.Date: {dayOf(r).String()}}
	for _, name := range []string{tabs.Game, currency.Param} {
		if value := r.Query(name); value != "" {
			query.Set(name, value)
		}
	}
	return query.Encode()
}

// rowOf returns the row of a draw with its proposals.
func (p *pages) rowOf(r *kit.Request, draw *slot, results []draws.Result) (*resultRow, error) {
	game, err := p.Catalog.Game(r.Context(), draw.Game.ID) // kept in memory
	if err != nil {
		return nil, err
	}
	m := game.Mechanics()
	row := &resultRow{slot: *draw, game: game, Listed: m.Kind != catalog.DrawsNumber, Hint: r.T("results.hint.element"), AllFlags: modifierOptions(m.Flags)}
	if len(m.Wildcards) > 0 {
		row.Wildcards = append([]kit.Option{{Text: r.T("draw.none")}}, modifierOptions(m.Wildcards)...)
	}
	if !row.Listed {
		row.Hint = r.Say("results.hint.number", m.Digits)
	}
	if m.Sign {
		row.Hint = r.T("results.hint.sign")
	}
	for i := range results {
		if results[i].DrawID == draw.ID && results[i].Status == models.ResultProposed {
			row.proposals = append(row.proposals, results[i])
		}
	}
	return row, nil
}

// place adds a row to the list in which the user finds it.
func (p *resultsPage) place(r *kit.Request, row *resultRow) {
	switch others := slices.ContainsFunc(row.proposals, func(v draws.Result) bool { return v.EnteredBy != r.Caller.UserID }); {
	case len(row.proposals) == 0 && r.May(auth.ResultsWrite):
		p.Enter = append(p.Enter, row)
	case len(row.proposals) == 0:
		p.Wait = append(p.Wait, row)
		return
	case row.Value == "" && others && r.May(auth.ResultsVerify):
		p.Verify = append(p.Verify, row)
	default:
		return
	}
	known := slices.ContainsFunc(p.Grids, func(g grid) bool { return g.GameID == row.Game.ID })
	if row.Listed && !known {
		p.Grids = append(p.Grids, grid{row.Game.ID, elementOptions(row.game)})
	}
}

func (p *pages) enterAll(r *kit.Request) error {
	return p.saveResults(r, "results.entered", func(row *resultRow, outcome catalog.Outcome) error {
		_, err := p.Draws.Enter(r.Context(), r.Caller, row.ID, outcome)
		return err
	})
}

func (p *pages) verifyAll(r *kit.Request) error {
	return p.saveResults(r, "results.verified", func(row *resultRow, outcome catalog.Outcome) error {
		return p.verifyOneOf(r, row.proposals, &outcome)
	})
}

// saveResults saves each result that was typed on its own: what is refused keeps its text and its reason beside it, and changes nothing about the others.
func (p *pages) saveResults(r *kit.Request, notice string, save func(*resultRow, catalog.Outcome) error) error {
	sent, err := p.sentRows(r)
	if err != nil {
		return err
	}
	address := resultsPath + "?" + filterQuery(r)
	if len(sent) == 0 {
		return p.results.Present(r, http.StatusUnprocessableEntity, r.T("results.nothing"))
	}
	var refused []*resultRow
	for _, row := range sent {
		outcome, problem := readResult(r, row.game, row.Typed)
		if problem == "" {
			outcome.Wildcard, outcome.Flags = row.Wildcard, row.Flags
			if problem, err = p.problemOf(r, row, outcome, save(row, outcome)); err != nil {
				return err
			}
		}
		if row.Problem = problem; problem != "" {
			refused = append(refused, row)
		}
	}
	if len(refused) == 0 {
		return r.Done(address, notice)
	}
	return p.results.Present(r, http.StatusUnprocessableEntity, "", func(page *resultsPage) { page.refuse(refused, len(sent)) })
}

// problemOf explains a refusal. A result that the same user has saved before, by a second click or in another tab, is saved.
func (p *pages) problemOf(r *kit.Request, row *resultRow, outcome catalog.Outcome, err error) (string, error) {
	if err == nil {
		return "", nil
	}
	_, text, ok := r.Explain(err)
	if !ok {
		return "", err
	}
	versions, _, failed := p.Draws.Results(r.Context(), r.Caller, &draws.ResultFilter{DrawID: row.ID, Limit: kit.PageSize})
	if failed != nil {
		return "", failed
	}
	checked, _, _ := row.game.CheckOutcome(outcome)
	repeated := slices.ContainsFunc(versions, func(v draws.Result) bool {
		entered := errors.Is(err, draws.ErrResultPending) && v.Status == models.ResultProposed && v.EnteredBy == r.Caller.UserID
		verified := v.Status == models.ResultVerified && v.VerifiedBy == r.Caller.UserID && (errors.Is(err, draws.ErrResultClosed) || errors.Is(err, draws.ErrResultExists))
		return (entered || verified) && v.Outcome.Equal(&checked)
	})
	if repeated {
		return "", nil
	}
	return text, nil
}

// sentRows returns the draws whose results were typed, in the order of their times.
func (p *pages) sentRows(r *kit.Request) ([]*resultRow, error) {
	var ids []uuid.UUID
	for name, values := range r.FormValues() {
		text, ok := strings.CutPrefix(name, resultField)
		id, err := uuid.Parse(text)
		if ok && err == nil && strings.TrimSpace(values[0]) != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	views, _, err := p.Draws.Views(r.Context(), &draws.ViewFilter{IDs: ids, Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	proposals, _, err := p.Draws.Results(r.Context(), r.Caller, &draws.ResultFilter{Date: dayOf(r), Status: models.ResultProposed, Limit: maxDraws})
	if err != nil {
		return nil, err
	}
	rows := make([]*resultRow, len(views))
	for i := range views {
		if rows[i], err = p.rowOf(r, &slot{View: views[i]}, proposals); err != nil {
			return nil, err
		}
		id := views[i].ID.String()
		rows[i].Typed, rows[i].Wildcard, rows[i].Flags = r.Text(resultField+id), r.Form(wildcardField+id), r.Forms(flagField+id)
	}
	return rows, nil
}

// refuse shows what was refused in its fields, which are in the lists, and above the lists what is in no list any more.
func (p *resultsPage) refuse(refused []*resultRow, sent int) {
	p.Saved, p.Refused = int64(sent-len(refused)), refused
	slices.SortStableFunc(p.Refused, func(a, b *resultRow) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Game.Name, b.Game.Name))
	})
	for _, wrong := range refused {
		for _, row := range slices.Concat(p.Enter, p.Verify) {
			if row.ID == wrong.ID {
				row.Typed, row.Problem, row.Wildcard, row.Flags = wrong.Typed, wrong.Problem, wrong.Wildcard, wrong.Flags
			}
		}
	}
}

// Field reports whether a refused result has a field on the page.
func (p *resultsPage) Field(id uuid.UUID) bool {
	return slices.ContainsFunc(slices.Concat(p.Enter, p.Verify), func(row *resultRow) bool { return row.ID == id })
}

// Flagged reports whether a flag is chosen.
func (row *resultRow) Flagged(code string) bool { return slices.Contains(row.Flags, code) }

// Stakes says what a draw sold, so that the results that buyers wait for come first; empty where nothing is known.
func (row *resultRow) Stakes(v *kit.View) string {
	var parts []string
	if row.Tickets > 0 {
		parts = append(parts, v.N("board.tickets", row.Tickets))
	}
	if row.Sold != 0 {
		parts = append(parts, currency.Text(v, row.Sold, row.money))
	}
	return strings.Join(parts, " · ")
}
