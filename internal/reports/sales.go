package reports

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/models"
)

// Ways to group sales.
const (
	GroupTotal  = "total"  // one row
	GroupEntity = "entity" // by the entities that were one level below
	GroupGame   = "game"
	GroupDay    = "day"
	GroupDraw   = "draw" // of one game
	GroupMeans  = "means"
)

// Groups lists the ways to group sales.
func Groups() []string {
	return []string{GroupTotal, GroupEntity, GroupGame, GroupDay, GroupDraw, GroupMeans}
}

// SalesRow is one group of sales.
type SalesRow struct {
	ID         uuid.UUID       // of the entity, game or draw; Nil for a day
	Name       string          // of the entity or game; the number of the draw
	Code       string          // of the entity or game
	EntityType string          // of the entity
	Day        businessday.Day // zero unless grouped by day
	DrawTime   time.Time       // zero unless grouped by draw
	Means      string          // of a row by means, with
	Currency   ledger.Currency // its currency and
	Amount     money.Amount    // what was paid in it, less change, cancelled tickets and, of cash, refunds
	rollup.Figures
	Accrued
}

// Sales is the report of sales: the total of the entity and its rows, which sum to the total.
type Sales struct {
	Head
	Accrued // of the total

	Total rollup.Figures
	Rows  []SalesRow
}

// Sales returns sales, prizes and payments, grouped. Errors: ErrNoGame, errors of ask.
func (s *Service) Sales(ctx context.Context, by caller.Caller, f *Filter, group string) (*Sales, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	report := &Sales{Head: q.Head}
	total, err := s.totals.Sum(ctx, &q.query)
	if err != nil {
		return nil, err
	}
	report.Total = total[0].Figures
	switch group {
	case GroupEntity:
		report.Rows, err = s.byEntity(ctx, q)
	case GroupGame:
		report.Rows, err = s.byGame(ctx, q)
	case GroupDay:
		report.Rows, err = s.byDay(ctx, q)
	case GroupDraw:
		report.Rows, err = s.byDraw(ctx, q)
	case GroupMeans:
		report.Rows, err = s.byMeans(ctx, q, &report.Total)
	default:
		report.Rows = []SalesRow{{ID: q.Entity.ID, Name: q.Entity.Name, Code: q.Entity.Code, EntityType: q.Entity.Type, Figures: report.Total}}
	}
	if err != nil {
		return nil, err
	}
	return report, s.shares(ctx, q, report, group)
}

// byEntity groups by the entities below, highest sales first. An entity that was moved away is listed where it sold.
// For a ticket point it returns the point itself.
func (s *Service) byEntity(ctx context.Context, q *question) ([]SalesRow, error) {
	query := q.query
	query.Children = q.Entity.Type != models.EntityTicketPoint
	rows, err := s.totals.Sum(ctx, &query, rollup.ByEntity)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].EntityID
	}
	entities, err := s.org.Labels(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]SalesRow, len(rows))
	for i := range rows {
		e := entities[rows[i].EntityID]
		list[i] = SalesRow{
			ID: rows[i].EntityID, Name: e.Name, Code: e.Code, EntityType: e.Type, Figures: rows[i].Figures,
		}
	}
	sortBySales(list)
	return list, nil
}

// byGame groups by game, highest sales first. The numbers of tickets belong to no game and are in no row.
func (s *Service) byGame(ctx context.Context, q *question) ([]SalesRow, error) {
	rows, err := s.totals.Sum(ctx, &q.query, rollup.ByGame)
	if err != nil {
		return nil, err
	}
	list := make([]SalesRow, 0, len(rows))
	for i := range rows {
		if rows[i].GameID == uuid.Nil {
			continue
		}
		game, err := s.catalog.Game(ctx, rows[i].GameID)
		if err != nil {
			return nil, err
		}
		list = append(list, SalesRow{ID: game.ID, Name: game.Name, Code: game.ShortCode, Figures: rows[i].Figures})
	}
	sortBySales(list)
	return list, nil
}

func (s *Service) byDay(ctx context.Context, q *question) ([]SalesRow, error) {
	rows, err := s.totals.Sum(ctx, &q.query, rollup.ByDay)
	if err != nil {
		return nil, err
	}
	list := make([]SalesRow, len(rows))
	for i := range rows {
		list[i] = SalesRow{Day: rows[i].Day, Figures: rows[i].Figures}
	}
	return list, nil
}

func (s *Service) byDraw(ctx context.Context, q *question) ([]SalesRow, error) {
	if q.query.GameID == uuid.Nil {
		return nil, ErrNoGame
	}
	rows, err := s.totals.SumDraws(ctx, &q.query, q.path)
	if err != nil {
		return nil, err
	}
	list := make([]SalesRow, len(rows))
	for i := range rows {
		list[i] = SalesRow{
			ID: rows[i].DrawID, Name: rows[i].DrawNumber, DrawTime: rows[i].DrawTime, Figures: rows[i].Figures,
		}
	}
	return list, nil
}

// byMeans groups by what tickets were paid with, highest sales first. All but cash in the currency of the tickets is counted; that is the rest of
// the sales. Prizes and commissions belong to no means, and payments to no game: a question about games has no rows.
func (s *Service) byMeans(ctx context.Context, q *question, total *rollup.Figures) ([]SalesRow, error) {
	if q.query.GameID != uuid.Nil || q.query.CategoryID != uuid.Nil {
		return nil, nil
	}
	paid, err := s.totals.Means(ctx, &q.query)
	if err != nil {
		return nil, err
	}
	cash := SalesRow{Means: rollup.OwnCash, Currency: q.Currency, Figures: rollup.Figures{Sold: total.Sold, Voided: total.Voided, Refunded: total.Refunded}}
	list := make([]SalesRow, len(paid), len(paid)+1)
	for i := range paid {
		m := &paid[i]
		cash.Sold, cash.Voided = cash.Sold-m.Sold, cash.Voided-m.Voided
		list[i] = SalesRow{Means: m.Means, Amount: m.Amount, Figures: rollup.Figures{Sold: m.Sold, Voided: m.Voided}}
		if list[i].Currency, err = s.ledger.AnyCurrency(ctx, m.CurrencyID.String()); err != nil {
			return nil, err
		}
	}
	if cash.Amount = cash.NetSales(); cash.Figures != (rollup.Figures{}) {
		list = append(list, cash)
	}
	sortBySales(list)
	return list, nil
}

func sortBySales(list []SalesRow) {
	slices.SortStableFunc(list, func(a, b SalesRow) int {
		if a.NetSales() != b.NetSales() {
			if a.NetSales() > b.NetSales() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
}
