package draws

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/storage"
)

// FrequencyDays is the period of frequencies, in days.
const FrequencyDays = 30

// gamesKept bounds the games whose frequencies are kept.
const gamesKept = 500

// Frequency is how often a value was drawn in the period. A game of elements has one for each element, a game of numbers for each number that was drawn.
type Frequency struct {
	Value  string
	Name   string
	Drawn  int
	Absent int // draws with a result since the value was drawn last, or of the whole period
}

// frequencies are the values that were drawn.
type frequencies struct {
	list  []Frequency
	draws int // with a result
}

// frequencySQL looks each result up by its id: the planner reads the whole table where it estimates it as small.
const frequencySQL = `SELECT value, count(*)::int, (min(age) - 1)::int, max(draws)::int FROM (
		SELECT r.value, row_number() OVER (ORDER BY d.draw_time DESC) AS age, count(*) OVER () AS draws
		FROM draws d CROSS JOIN LATERAL (SELECT value FROM results WHERE id = d.result_id LIMIT 1) r WHERE d.game_id = $1 AND d.draw_time >= $2 AND d.draw_time <= $3
	) drawn GROUP BY value`

// Frequencies returns how often each value of a game was drawn in the last days, the most frequent first, then the one that was drawn last. It may be
// some seconds old. Errors: catalog.ErrGameNotFound.
func (s *Service) Frequencies(ctx context.Context, id uuid.UUID) ([]Frequency, error) {
	game, err := s.Catalog.Game(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.frequent.Get(ctx, id, func(ctx context.Context) ([]Frequency, error) {
		now := s.Clock.Now()
		drawn, err := readFrequencies(ctx, s.PG.Pool, id, now.Add(-FrequencyDays*24*time.Hour), now)
		if err != nil {
			return nil, err
		}
		return drawn.of(game), nil
	})
}

func readFrequencies(ctx context.Context, q storage.Querier, game uuid.UUID, from, to time.Time) (f frequencies, err error) {
	f.list, err = storage.Collect(ctx, q, "frequencies of results", func(row pgx.CollectableRow) (one Frequency, err error) {
		err = row.Scan(&one.Value, &one.Drawn, &one.Absent, &f.draws)
		return one, err
	}, frequencySQL, game, from, to)
	if err != nil {
		return f, fmt.Errorf("read frequencies: %w", err)
	}
	return f, nil
}

// of adds the names, and the elements of the game that were not drawn.
func (f *frequencies) of(game *catalog.Game) []Frequency {
	list := f.list
	for i := range list {
		list[i].Name = game.NameOf(list[i].Value)
	}
	for _, e := range game.Elements {
		if !slices.ContainsFunc(list, func(one Frequency) bool { return one.Value == e.Code }) && game.Mechanics().Kind != catalog.DrawsNumber {
			list = append(list, Frequency{Value: e.Code, Name: e.Name, Absent: f.draws})
		}
	}
	slices.SortFunc(list, func(a, b Frequency) int {
		if a.Drawn != b.Drawn {
			return b.Drawn - a.Drawn
		}
		if a.Absent != b.Absent {
			return a.Absent - b.Absent
		}
		return strings.Compare(a.Value, b.Value)
	})
	return list
}
