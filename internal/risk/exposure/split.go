package exposure

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/recent"
	"banca/storage"
)

// Split is the sales on draws by entity and currency, of at most four seconds ago.
type Split struct {
	sold map[uuid.UUID]map[string][]splitLine // by currency and by the path of the entity that sold

	mu    sync.Mutex
	asked map[splitAt]map[uuid.UUID]*DrawSold // guarded by mu; the pages of some seconds ask for the same entities
}

// splitAt is an entity and a currency.
type splitAt struct {
	path     string
	currency uuid.UUID
}

// DrawSold is the sales on a draw in one currency, at an entity and below.
type DrawSold struct {
	Total      money.Amount // all stakes, including window bets
	Selections []Selection
}

type (
	splitKey struct {
		currency, draw uuid.UUID
		path           string
		bet, selection string
	}
	splitLine struct {
		Selection

		draw uuid.UUID
	}
)

// splitSums are the sums of a Split as of a snapshot of the database. One goroutine uses them at a time.
type splitSums struct {
	snapshot string
	sold     map[splitKey]*splitLine
}

// splitOfLines sums lines in the currencies $2 by entity, and has the snapshot of the statement in a row without a path.
const splitOfLines = `)
	SELECT e.path, l.currency_id, l.draw_id, l.bet_type, l.selection, sum(l.sign * l.amount)::bigint, sum(l.sign * l.potential_prize)::bigint
		FROM l JOIN entities e ON e.id = l.entity_id WHERE l.currency_id = ANY ($2) GROUP BY 1, 2, 3, 4, 5
	UNION ALL SELECT '', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '', pg_current_snapshot()::text, 0, 0`

// RecentSplit returns what each entity of the caller's scope sold on draws, in one statement for all of them. While it is watched, it reads the
// sales and cancellations since the last one.
func (s *Service) RecentSplit(ctx context.Context, by caller.Caller, currencies []uuid.UUID, draws []DrawOf) (*Split, error) {
	key := boardKey{operator: by.IsOperator(), scope: by.Scope.Pattern(), currency: recent.Key(currencies), draws: idsOf(draws)}
	return s.watched.splits.Get(ctx, key, func(ctx context.Context) (*Split, error) {
		sums, known := s.watched.splitSums.GetIfPresent(key)
		if !known {
			sums = &splitSums{sold: map[splitKey]*splitLine{}}
		}
		if err := sums.advance(ctx, s.pg, &soldQuestion{by: by, currency: storage.UUIDs(currencies), draws: draws}); err != nil {
			s.watched.splitSums.Invalidate(key)
			return nil, err
		}
		s.watched.splitSums.Set(key, sums)
		return sums.split(), nil
	})
}

// advance reads the commits since the snapshot, or everything. After an error the sums must not be used again.
func (b *splitSums) advance(ctx context.Context, pg *storage.Postgres, q *soldQuestion) error {
	sql, args, err := q.lines(b.snapshot)
	if err != nil {
		return err
	}
	var k splitKey
	var stake, liability money.Amount
	row := []any{&k.path, (*[16]byte)(&k.currency), (*[16]byte)(&k.draw), &k.bet, &k.selection, &stake, &liability}
	return storage.Each(ctx, pg.Pool, "sales of entities", row, func() error {
		if k.path == "" {
			b.snapshot = k.selection
			return nil
		}
		of := b.sold[k]
		if of == nil {
			of = &splitLine{draw: k.draw, Selection: Selection{BetType: k.bet, Selection: k.selection}}
			b.sold[k] = of
		}
		of.Stake, of.Liability = of.Stake+stake, of.Liability+liability
		return nil
	}, sql+splitOfLines, args...)
}

// split returns the sums as values of their own.
func (b *splitSums) split() *Split {
	sold := map[uuid.UUID]map[string][]splitLine{}
	for k, line := range b.sold {
		if line.Stake == 0 {
			continue
		}
		if sold[k.currency] == nil {
			sold[k.currency] = map[string][]splitLine{}
		}
		sold[k.currency][k.path] = append(sold[k.currency][k.path], *line)
	}
	return &Split{sold: sold, asked: map[splitAt]map[uuid.UUID]*DrawSold{}}
}

// Of returns the sales on each draw in a currency at the entity with a path and below. Callers must not change them.
func (s *Split) Of(path string, currency uuid.UUID) map[uuid.UUID]*DrawSold {
	at := splitAt{path, currency}
	s.mu.Lock()
	found, known := s.asked[at]
	s.mu.Unlock()
	if !known { // outside the lock: an operator's is of all lines
		found = s.sum(path, currency)
		s.mu.Lock()
		s.asked[at] = found
		s.mu.Unlock()
	}
	return found
}

// sum adds up the sales at an entity and below.
func (s *Split) sum(path string, currency uuid.UUID) map[uuid.UUID]*DrawSold {
	draws, sums := map[uuid.UUID]*DrawSold{}, map[splitKey]*Selection{}
	for at, lines := range s.sold[currency] {
		if !strings.HasPrefix(at, path) {
			continue
		}
		for i := range lines {
			line := &lines[i]
			key := splitKey{draw: line.draw, bet: line.BetType, selection: line.Selection.Selection}
			if sums[key] == nil {
				sums[key] = &Selection{BetType: key.bet, Selection: key.selection}
			}
			sums[key].Stake, sums[key].Liability = sums[key].Stake+line.Stake, sums[key].Liability+line.Liability
		}
	}
	for key, sum := range sums {
		if draws[key.draw] == nil {
			draws[key.draw] = &DrawSold{}
		}
		of := draws[key.draw]
		of.Total, of.Selections = of.Total+sum.Stake, append(of.Selections, *sum)
	}
	for _, of := range draws {
		slices.SortFunc(of.Selections, func(a, b Selection) int {
			return cmp.Or(strings.Compare(a.BetType, b.BetType), strings.Compare(a.Selection, b.Selection))
		})
	}
	return draws
}
