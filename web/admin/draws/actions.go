package draws

import (
	"errors"
	"net/http"
	"strings"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/models"
	"banca/web/kit"
)

// typedOutcome reads the fields of a result.
func typedOutcome(r *kit.Request, game *catalog.Game) catalog.Outcome {
	var typed catalog.Outcome
	kit.NewForm(outcomeInputs(r, game, &typed)...).Take(r)
	if code, ok := game.FindElement(typed.Value); ok { // the service refuses any other text
		typed.Value = code
	}
	return typed
}

// typed returns the typed outcome of the draw of a request.
func (p *pages) typed(r *kit.Request) (catalog.Outcome, *catalog.Game, error) {
	shown, err := p.Draws.Show(r.Context(), r.ID)
	if err != nil {
		return catalog.Outcome{}, nil, err
	}
	game, err := p.Catalog.Game(r.Context(), shown.Game.ID) // kept in memory
	if err != nil {
		return catalog.Outcome{}, nil, err
	}
	return typedOutcome(r, game), game, nil
}

func (p *pages) enter(r *kit.Request) error {
	outcome, _, err := p.typed(r)
	if err != nil {
		return err
	}
	_, err = p.Draws.Enter(r.Context(), r.Caller, r.ID, outcome)
	return p.draw.Submit(r, err, "result.entered")
}

func (p *pages) reject(r *kit.Request) error {
	_, err := p.Draws.Reject(r.Context(), r.Caller, r.FormID("result"), r.Form("reason"))
	return p.draw.Submit(r, err, "result.rejected")
}

// verify verifies the draw's proposal that equals the value that the second person types: sources that disagree make several proposals.
func (p *pages) verify(r *kit.Request) error {
	typed, _, err := p.typed(r)
	if err != nil {
		return err
	}
	proposals, _, err := p.Draws.Results(r.Context(), r.Caller, &draws.ResultFilter{DrawID: r.ID, Status: models.ResultProposed, Limit: kit.PageSize})
	if err != nil {
		return err
	}
	return p.draw.Submit(r, p.verifyOneOf(r, proposals, &typed), "result.verified")
}

// verifyOneOf verifies the proposal of a draw that equals the typed value.
func (p *pages) verifyOneOf(r *kit.Request, proposals []draws.Result, typed *catalog.Outcome) error {
	var err error = draws.ErrResultClosed
	for i := range proposals {
		_, _, err = p.Draws.Verify(r.Context(), r.Caller, proposals[i].ID, typed)
		if !errors.Is(err, draws.ErrResultMismatch) && !errors.Is(err, draws.ErrSamePerson) {
			return err
		}
	}
	return err
}

func (p *pages) suspend(r *kit.Request) error {
	return p.draw.Submit(r, p.Draws.Suspend(r.Context(), r.Caller, r.ID, r.Form("reason")), "draw.suspended")
}

// acceptSeal proposes the tickets of a draw whose seal is broken, or accepts what another person proposed.
func (p *pages) acceptSeal(r *kit.Request) error {
	_, err := p.Draws.AcceptSeal(r.Context(), r.Caller, r.ID, r.Form("reason"))
	return p.draw.Submit(r, err, "draw.seal")
}

// correct shows the effect of a correction and, when the user has seen it, files it.
func (p *pages) correct(r *kit.Request) error {
	seen := r.Form("seen") != ""
	outcome, game, err := p.typed(r)
	if err != nil {
		return err
	}
	_, difference, err := p.Draws.Correct(r.Context(), r.Caller, r.FormID("result"), outcome, r.Form("reason"), !seen)
	if err != nil || seen {
		return p.draw.Submit(r, err, "result.entered")
	}
	changes, err := p.changes(r, difference)
	if err != nil {
		return err
	}
	return p.draw.Present(r, http.StatusOK, "", func(page *drawPage) {
		page.Previews, page.Next = changes, game.ResultText(outcome.String())
	})
}

// elementOptions are the elements of a game as its results are typed and shown, such as 5 León. A retired element may still be drawn.
func elementOptions(game *catalog.Game) []kit.Option {
	if game.Mechanics().Kind == catalog.DrawsNumber {
		return nil
	}
	var options []kit.Option
	for _, list := range [][]catalog.Element{game.Elements, game.Retired} {
		for i := range list {
			options = append(options, kit.Option{Value: list[i].Code, Text: game.ResultText(list[i].Code)})
		}
	}
	return options
}

// readResult reads a result in one text: the code of an element, its name or both; or a number, with its sign if the game draws one. problem is
// the reason in the language of the request if there is no such result.
func readResult(r *kit.Request, game *catalog.Game, typed string) (outcome catalog.Outcome, problem string) {
	typed = strings.Join(strings.Fields(typed), " ")
	m := game.Mechanics()
	if m.Kind != catalog.DrawsNumber {
		code, ok := game.FindElement(typed)
		if !ok {
			problem = r.Say("results.wrong.element", typed, game.Name)
		}
		return catalog.Outcome{Value: code}, problem
	}
	number, sign, _ := strings.Cut(typed, " ")
	if len(number) != m.Digits || strings.Trim(number, "0123456789") != "" {
		return outcome, r.Say("results.wrong.number", number, m.Digits)
	}
	if m.Sign && sign == "" {
		return outcome, r.Say("results.wrong.nosign", number)
	}
	if code, ok := catalog.FindSign(sign); m.Sign && ok {
		sign = code
	} else if sign != "" {
		return outcome, r.Say("results.wrong.sign", sign)
	}
	return catalog.Outcome{Value: number, Sign: sign}, ""
}
