package sales

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/internal/sales/drafts"
)

func (o *operations) registerDrafts() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "parse-draft", Method: http.MethodPost, Path: "/sales/drafts/parse", Tags: []string{"Sales"},
		DefaultStatus: http.StatusOK, Summary: "Bet lines of a text as buyers write it",
		Description: "Reads lines such as `leon 20 burro 10`, `1000 al 28 y 32 a las 12`, `123 456 x 5 tachira noche` and `tripleta 5 12 20 por 10` " +
			"by a grammar. A line with exactly one reading becomes bet lines; any other one has a `problem` and none. Greetings are left out. " +
			"It sells nothing, and checks no limit of risk: show the lines, and sell them with `POST /sales/tickets`.",
	}, kit.Can(auth.SalesSell), o.parseDraft,
		ledger.ErrCurrencyNotFound, org.ErrCannotSell, org.ErrEntityNotFound, sales.ErrNotTicketPoint)
}

type parseDraftInput struct {
	DeskParams

	Body draftText
}

type draftText struct {
	Text    string      `json:"text" maxLength:"8000"`
	DrawIDs []uuid.UUID `json:"draw_ids,omitempty" maxItems:"200" doc:"chosen draws, for lines that name no game"`
}

type parsedDraft struct {
	Parts []parsedPart `json:"parts" nullable:"false" doc:"lines of the text with a meaning, in their order"`
	Lines int          `json:"lines" doc:"bet lines of all parts"`
	Total kit.Decimal  `json:"total" doc:"of these bet lines"`
}

type parsedPart struct {
	Line    int           `json:"line" doc:"number of the line in the text, from 1"`
	Text    string        `json:"text"`
	Items   []parsedLine  `json:"items" nullable:"false" doc:"as POST /sales/tickets takes them; none with a problem, or for a heading"`
	Problem *parseProblem `json:"problem" doc:"why the line is not understood; null where it is"`
}

type parsedLine struct {
	DrawID    uuid.UUID     `json:"draw_id"`
	GameID    uuid.UUID     `json:"game_id"`
	Game      string        `json:"game"`
	DrawTime  time.Time     `json:"draw_time"`
	BetType   string        `json:"bet_type" example:"straight"`
	Selection kit.Selection `json:"selection"`
	Name      string        `json:"name" example:"León"`
	Amount    kit.Decimal   `json:"amount"`
}

type parseProblem struct {
	Code    string `json:"code" example:"LIST_UNCLEAR"`
	Message string `json:"message" doc:"in the language of Accept-Language"`
}

func (o *operations) parseDraft(ctx context.Context, by caller.Caller, in *parseDraftInput) (*kit.Data[parsedDraft], error) {
	p, err := o.sales.ParseDraft(ctx, by, in.desk(by), in.Body.Text, in.Body.DrawIDs)
	if err != nil {
		return nil, err
	}
	language := middleware.Language(ctx)
	return kit.DataOf(parsedDraft{
		Lines: p.Lines, Total: kit.DecimalOf(p.Total, p.Currency.Digits),
		Parts: kit.Map(p.Parts, func(part drafts.Part) parsedPart { return parsedPartBody(&part, p.Currency.Digits, language) }),
	}), nil
}

func parsedPartBody(p *drafts.Part, digits int, language string) parsedPart {
	return parsedPart{
		Line: p.Number, Text: p.Text, Problem: parseProblemBody(p.Refused, language),
		Items: kit.Map(p.Lines, func(l drafts.Line) parsedLine {
			return parsedLine{
				DrawID: l.Draw.ID, GameID: l.Draw.Game.ID, Game: l.Draw.Game.Name, DrawTime: l.Draw.Time,
				BetType: l.BetType, Selection: l.Codes, Name: l.Name, Amount: kit.DecimalOf(l.Amount, digits),
			}
		}),
	}
}

func parseProblemBody(d *apperr.Detail, language string) *parseProblem {
	if d == nil {
		return nil
	}
	return &parseProblem{Code: d.Code, Message: problem.Text(language, "line."+d.Code, d.Args)}
}
