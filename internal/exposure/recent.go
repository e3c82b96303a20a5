package exposure

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"banca/internal/caller"
)

const (
	recentAge     = 4 * time.Second // less than the time between two renewals of a page
	recentTimeout = 30 * time.Second
	recentKept    = 64
)

// boardKey is what decides the answer of a board.
type boardKey struct {
	operator bool
	scope    string // a pattern of paths, of others than the operator
	currency string
	draws    string // sorted ids
}

// recent are the boards of the last seconds. Everybody who watches the same draws shares one statement.
type recent struct {
	boards *otter.Cache[boardKey, *Board]
}

func newRecent() recent {
	return recent{boards: otter.Must(&otter.Options[boardKey, *Board]{
		MaximumSize: recentKept, ExpiryCalculator: otter.ExpiryWriting[boardKey, *Board](recentAge),
	})}
}

// RecentBoard returns the board of at most four seconds ago, which callers must not change. Errors: ledger.ErrCurrencyNotFound.
func (s *Service) RecentBoard(ctx context.Context, by caller.Caller, currency string, draws []DrawOf) (*Board, error) {
	key := boardKey{operator: by.IsOperator(), currency: currency, draws: idsOf(draws)}
	if !key.operator {
		key.scope = by.Scope.Pattern()
	}
	load := otter.LoaderFunc[boardKey, *Board](func(ctx context.Context, _ boardKey) (*Board, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recentTimeout) // others wait for the same board
		defer cancel()
		return s.Board(ctx, by, currency, draws)
	})
	return s.recent.boards.Get(ctx, key, load)
}

func idsOf(draws []DrawOf) string {
	ids := make([]string, len(draws))
	for i := range draws {
		ids[i] = string(draws[i].DrawID[:])
	}
	slices.Sort(ids)
	return strings.Join(ids, "")
}
