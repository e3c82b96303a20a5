package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/assistant"
	"banca/internal/assistant/dates"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/risk/exposure"
	"banca/internal/sales"
)

// Bounds of results.
const (
	maxRows = 30
	maxName = 60
	topRows = 10
)

// Deps are the services that the tools call. All are required.
type Deps struct {
	Org      *org.Service
	Catalog  *catalog.Service
	Ledger   *ledger.Service
	Reports  *reports.Service
	Exposure *exposure.Service
	Prizes   *prizes.Service
	Draws    *draws.Service
	Sales    *sales.Service
	Closes   *closes.Service
	Clock    clock.Clock
	Zone     *time.Location // of business days
}

// New returns the tools.
func New(d Deps) []assistant.Tool {
	k := &kit{Deps: d}
	return []assistant.Tool{
		{
			Name: "getDailyAggregatedBets", Plain: true, Permission: auth.ReportsRead, Run: k.bets,
			Description: "What was sold, voided, refunded, won and paid on a day or in a period, with commission and result, by currency. For questions about sales, tickets, prizes paid, commission, profit of the user's entity with everything below it, or of one branch.",
			Schema:      object(dateProperty, branchProperty),
		},
		{
			Name: "getDailyBalance", Plain: true, Permission: auth.ReportsRead, Run: k.balance,
			Description: "Balance of the wallet of the user's entity, or of one branch, before and after a day or period, with what changed it, by currency. For questions about balance, debt, how much one owes or has.",
			Schema:      object(dateProperty, branchProperty),
		},
		{
			Name: "getTopNumbers", Permission: auth.RiskRead, Run: k.topNumbers,
			Description: "The numbers or animals with the highest stakes of one draw.",
			Schema:      object(gameProperty, timeProperty, dateProperty, topProperty),
		},
		{
			Name: "getExposure", Permission: auth.RiskRead, Run: k.exposure,
			Description: "What one draw would cost for its dearest outcomes: prizes due and result of the operator for each, or for one number. For questions about risk and exposure.",
			Schema:      object(gameProperty, timeProperty, dateProperty, topProperty, numberProperty),
		},
		{
			Name: "getPendingPrizes", Permission: auth.PrizesRead, Run: k.pendingPrizes,
			Description: "Prizes that were won and are not collected yet, with the newest tickets; paid and expired sums, by currency. With a date: of draws settled on that day or in that period.",
			Schema:      object(dateProperty),
		},
		{
			Name: "getDrawStatus", Permission: auth.CatalogRead, Run: k.drawStatus,
			Description: "Draws of a day or period with their state and, if they have one, their result (winner), of all games (at most 7 days) or of one (at most 31 days).",
			Schema:      object(gameProperty, timeProperty, dateProperty),
		},
		{
			Name: "getSales", Permission: auth.ReportsRead, Run: k.sales,
			Description: "Sales of a period in rows: by branch (group_by entity: the entities one level below), game or day.",
			Schema:      object(dateProperty, groupProperty, branchProperty),
		},
		{
			Name: "getTicket", Permission: auth.SalesRead, Run: k.ticket,
			Description: "One ticket by its serial code: state, total, prize, lines.",
			Schema:      objectOf([]string{"serial"}, serialProperty),
		},
		{
			Name: "getDailyClose", Permission: auth.ClosesRead, Run: k.dailyClose,
			Description: "Daily closes (cierres de caja) of a day: state, expected and counted cash, variance, and who has not closed.",
			Schema:      object(dateProperty),
		},
		{
			Name: "comparePeriods", Permission: auth.ReportsRead, Run: k.compare,
			Description: "Two days or periods beside each other, with difference and percent.",
			Schema:      objectOf([]string{"date", "other"}, dateProperty, otherProperty, branchProperty),
		},
	}
}

// Properties of the schemas.
const (
	dateProperty   = `"date":{"type":"string","maxLength":80,"description":"day or period in the words of the user, such as ayer, el lunes pasado, este mes, del 1 al 15, 2026-11-22; today without it"}`
	otherProperty  = `"other":{"type":"string","maxLength":80,"minLength":1,"description":"the period to compare with, in the words of the user"}`
	gameProperty   = `"game":{"type":"string","maxLength":60,"description":"name or code of the game"}`
	timeProperty   = `"time":{"type":"string","maxLength":20,"description":"time of the draw, such as 7pm or 19:00"}`
	branchProperty = `"branch":{"type":"string","maxLength":60,"description":"name or code of an entity below the user's own"}`
	groupProperty  = `"group_by":{"type":"string","enum":["total","entity","game","day"]}`
	serialProperty = `"serial":{"type":"string","minLength":4,"maxLength":40}`
	numberProperty = `"number":{"type":"string","minLength":1,"maxLength":6,"description":"only this number or animal, such as 5, 00 or 123"}`
	topProperty    = `"top":{"type":"integer","minimum":1,"maximum":30}`
)

func object(properties ...string) string { return objectOf(nil, properties...) }

func objectOf(required []string, properties ...string) string {
	must := ""
	if len(required) > 0 {
		must = `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}` + must + `,"additionalProperties":false}`
}

// kit is the services with what the tools share.
type kit struct{ Deps }

func (k *kit) today() businessday.Day { return businessday.Of(k.Clock.Now(), k.Zone) }

// days returns the days of an argument. Errors: errDate.
func (k *kit) days(text string) (dates.Range, error) {
	r, err := dates.Parse(text, k.today())
	if err != nil {
		return r, errDate
	}
	return r, nil
}

// branch finds an entity in the caller's scope by its code or name; Nil for "". Errors: errBranch, also for one outside of the scope; *assistant.AmbiguousError.
func (k *kit) branch(ctx context.Context, by caller.Caller, text string) (uuid.UUID, error) {
	if text = strings.TrimSpace(text); text == "" {
		return uuid.Nil, nil
	}
	if id, err := k.Org.ByCode(ctx, by, strings.ToUpper(text)); err == nil {
		return id, nil
	}
	list, _, err := k.Org.Entities(ctx, by, &org.EntityFilter{Text: text, Limit: topRows})
	if err != nil {
		return uuid.Nil, err
	}
	wanted := dates.Normalise(text)
	exact := slices.DeleteFunc(slices.Clone(list), func(e org.Entity) bool { return dates.Normalise(e.Name) != wanted })
	if len(exact) > 0 {
		list = exact
	}
	switch len(list) {
	case 0:
		return uuid.Nil, errBranch
	case 1:
		return list[0].ID, nil
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = name(list[i].Name) + " (" + list[i].Code + ")"
	}
	return uuid.Nil, ambiguous("branches", names)
}

// ambiguous is the refusal of a name that several things have.
func ambiguous(what string, names []string) error {
	return &assistant.AmbiguousError{Problem: "several " + what + " have such a name; ask the user which one is meant, or pass one of the names of this result", Names: names}
}

// game finds a game by its code or name, or by a part of it that no other game has; nil for "". Errors: errGame, *assistant.AmbiguousError.
func (k *kit) game(ctx context.Context, text string) (*catalog.Game, error) {
	wanted := squeeze(text)
	if wanted == "" {
		return nil, nil //nolint:nilnil // no game was named
	}
	games, err := k.Catalog.Games(ctx)
	if err != nil {
		return nil, err
	}
	var like []*catalog.Game
	for _, g := range games {
		name := squeeze(g.Name)
		if squeeze(g.ShortCode) == wanted || name == wanted {
			return g, nil
		}
		if strings.Contains(name, wanted) || strings.Contains(wanted, name) {
			like = append(like, g)
		}
	}
	switch len(like) {
	case 0:
		return nil, errGame
	case 1:
		return like[0], nil
	}
	names := make([]string, 0, topRows)
	for _, g := range like[:min(len(like), topRows)] {
		names = append(names, name(g.Name))
	}
	return nil, ambiguous("games", names)
}

// squeeze is a name without spaces, accents and cases.
func squeeze(text string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(dates.Normalise(text))
}

func name(text string) string { return assistant.Clean(text, maxName) }
