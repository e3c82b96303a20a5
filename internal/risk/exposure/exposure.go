package exposure

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Service reads exposures.
type Service struct {
	pg      *storage.Postgres
	org     *org.Service
	catalog *catalog.Service
	ledger  *ledger.Service
	tables  tables
	watched watched
}

// New returns the service.
func New(pg *storage.Postgres, entities *org.Service, games *catalog.Service, books *ledger.Service) *Service {
	return &Service{pg: pg, org: entities, catalog: games, ledger: books, watched: newWatched()}
}

// MaxTop bounds the outcomes of one answer.
const MaxTop = 1_000

// Request asks for the exposure of a draw.
type Request struct {
	EntityID uuid.UUID // whose subtree; Nil for the caller's scope
	DrawID   uuid.UUID
	Currency string // id or code
	Top      int    // how many outcomes, at most MaxTop
}

// Exposure is the sales of a draw and its possible cost.
type Exposure struct {
	Draw     catalog.Draw
	Game     string
	Currency ledger.Currency
	Sales    money.Amount // all stakes, including window bets
	Lines    int64
	Outcomes int // that the game can draw
	Top      []Outcome
	Windows  Windows
}

// Worst is the outcome that costs most; nil where nothing can be drawn.
func (e *Exposure) Worst() *Outcome {
	if len(e.Top) == 0 {
		return nil
	}
	return &e.Top[0]
}

// Outcome is one thing that can be drawn.
type Outcome struct {
	Value     string
	Sign      string
	Name      string
	Stake     money.Amount // on the bets it makes win
	Liability money.Amount // that would be due
	Lines     int64
	Share     money.BasisPoints // of the draw's sales
	Result    money.Amount      // sales minus prizes due: the operator's result before commissions
	Announced money.Amount      // due with the most expensive wildcard and flags; equals Liability if the game has none
}

// Windows are the bets on the draw that it does not decide alone.
type Windows struct {
	Stake     money.Amount
	Liability money.Amount // if every one of them won
	Lines     int64
}

// Of computes the exposure of a draw, the most expensive outcomes first. Errors: catalog.ErrDrawNotFound,
// ledger.ErrCurrencyNotFound, org.ErrEntityNotFound.
func (s *Service) Of(ctx context.Context, by caller.Caller, req *Request) (*Exposure, error) {
	return s.of(ctx, by, req, s.sold)
}

// RecentOf is Of with a result of at most four seconds ago. All viewers of a draw share one statement, which reads the
// sales and cancellations since the last one. Errors: see Of.
func (s *Service) RecentOf(ctx context.Context, by caller.Caller, req *Request) (*Exposure, error) {
	return s.of(ctx, by, req, s.recentlySold)
}

// of computes the exposure of a draw from its sales.
func (s *Service) of(ctx context.Context, by caller.Caller, req *Request, read readSold) (*Exposure, error) {
	scope, err := s.scopeOf(ctx, by, req.EntityID)
	if err != nil {
		return nil, err
	}
	draw, err := s.catalog.Draw(ctx, req.DrawID)
	if err != nil {
		return nil, err
	}
	game, err := s.catalog.Game(ctx, draw.GameID)
	if err != nil {
		return nil, err
	}
	currency, err := s.ledger.AnyCurrency(ctx, req.Currency)
	if err != nil {
		return nil, err
	}
	rules, err := s.catalog.RuleVersions(ctx, draw.GameID)
	if err != nil {
		return nil, err
	}
	by.Scope = scope
	sold, err := read(ctx, by, draw, currency)
	if err != nil {
		return nil, err
	}
	return exposureOf(draw, game, currency, newCounting(rules, sold), req.Top), nil
}

// exposureOf builds an exposure from counts, with at most top outcomes.
func exposureOf(draw *catalog.Draw, game *catalog.Game, currency ledger.Currency, c *counting, top int) *Exposure {
	e := &Exposure{Draw: *draw, Game: game.Name, Currency: currency}
	e.Sales, e.Lines, e.Windows = c.sales, c.lines, c.windows
	outcomes := c.all(game.Outcomes())
	e.Outcomes = len(outcomes)
	e.Top = outcomes[:min(len(outcomes), max(top, 1), MaxTop)]
	for i := range e.Top {
		c.complete(&e.Top[i])
		e.Top[i].Name = nameOf(game, &e.Top[i])
	}
	return e
}

// scopeOf returns the scope of an entity in the caller's scope, or the caller's scope for Nil. Errors:
// org.ErrEntityNotFound.
func (s *Service) scopeOf(ctx context.Context, by caller.Caller, entityID uuid.UUID) (caller.Scope, error) {
	if entityID == uuid.Nil {
		return by.Scope, nil
	}
	scope, err := s.org.Scope(ctx, entityID)
	if err == nil && !by.Scope.Contains(scope.Path()) {
		return caller.Scope{}, org.ErrEntityNotFound
	}
	return scope, err
}

// group is the sales on one selection of a bet under one version of the rules and one payout.
type group struct {
	Version   int
	Bet       string
	Selection string
	Payout    money.Payout
	Stake     money.Amount
	Liability money.Amount
	Lines     int64
}

// readSold reads the sales on a draw in a currency and in the caller's scope, grouped by bet.
type readSold func(ctx context.Context, by caller.Caller, draw *catalog.Draw, currency ledger.Currency) ([]group, error)

// sold sums the lines of the draw.
func (s *Service) sold(
	ctx context.Context, by caller.Caller, draw *catalog.Draw, currency ledger.Currency,
) ([]group, error) {
	return storage.Collect(ctx, s.pg.Pool, "exposure", pgx.RowToStructByPos[group],
		`SELECT i.rule_version, i.bet_type, i.selection, i.payout, sum(i.amount)::bigint, sum(i.potential_prize)::bigint, count(*)
		FROM ticket_lines i JOIN tickets t ON t.id = i.ticket_id
		WHERE i.draw_id = $1 AND t.status <> $2 AND t.currency_id = $3 AND t.entity_id IN (SELECT id FROM entities WHERE path LIKE $4)
		GROUP BY 1, 2, 3, 4`, draw.ID, models.TicketCancelled, currency.ID, by.Scope.Pattern())
}

// recentlySold returns what a board of the draw alone was made of.
func (s *Service) recentlySold(
	ctx context.Context, by caller.Caller, draw *catalog.Draw, currency ledger.Currency,
) ([]group, error) {
	board, err := s.RecentBoard(ctx, by, currency.ID.String(), []DrawOf{{draw.ID, draw.GameID}})
	if err != nil {
		return nil, err
	}
	return board.sold[draw.ID], nil
}

func nameOf(game *catalog.Game, o *Outcome) string {
	if o.Sign != "" {
		return o.Value + " " + catalog.SignName(o.Sign)
	}
	return game.NameOf(o.Value)
}

// byLiability sorts the most expensive outcome first, and equal ones by their codes.
func byLiability(a, b Outcome) int {
	return cmp.Or(
		cmp.Compare(b.Liability, a.Liability), cmp.Compare(b.Stake, a.Stake), cmp.Compare(a.Value, b.Value),
		cmp.Compare(a.Sign, b.Sign),
	)
}

func sorted(list []Outcome) []Outcome {
	slices.SortFunc(list, byLiability)
	return list
}

// Currencies lists the currencies an exposure can be asked for in.
func (s *Service) Currencies(ctx context.Context) ([]ledger.Currency, error) {
	return s.ledger.Currencies(ctx)
}
