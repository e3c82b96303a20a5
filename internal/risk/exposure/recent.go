package exposure

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/cache"
	"banca/internal/platform/caller"
	"banca/internal/platform/recent"
)

const (
	boardsKept = 256

	sumsAge  = 2 * time.Minute // since the first read; afterwards, the earlier sales of a moved entity move with it
	sumsKept = 200_000         // groups of all boards, some 150 bytes each
)

// boardKey is what decides the answer of a board.
type boardKey struct {
	operator bool
	scope    string // a pattern of paths, of others than the operator
	currency string
	draws    string // of recent.Key
}

// watched are the boards of the last seconds. All pages of the same draws share one statement.
type watched struct {
	boards    *recent.Answers[boardKey, *Board]
	sums      cache.Cache[boardKey, *boardSums] // of the boards that are watched
	splits    *recent.Answers[boardKey, *Split]
	splitSums cache.Cache[boardKey, *splitSums]
}

func newWatched() watched {
	return watched{
		boards: recent.New[boardKey, *Board](boardsKept),
		sums: cache.New(&otter.Options[boardKey, *boardSums]{
			MaximumWeight: sumsKept, Weigher: func(_ boardKey, sums *boardSums) uint32 { return sums.weight },
			ExpiryCalculator: otter.ExpiryCreating[boardKey, *boardSums](sumsAge),
		}),
		splits: recent.New[boardKey, *Split](boardsKept),
		splitSums: cache.New(&otter.Options[boardKey, *splitSums]{
			MaximumWeight: sumsKept, Weigher: func(_ boardKey, sums *splitSums) uint32 { return uint32(min(len(sums.sold), sumsKept)) },
			ExpiryCalculator: otter.ExpiryCreating[boardKey, *splitSums](sumsAge),
		}),
	}
}

// RecentBoard returns a board of at most four seconds ago, which callers must not change. While a board is watched, it
// reads the sales and cancellations since the last one. Errors: ledger.ErrCurrencyNotFound.
func (s *Service) RecentBoard(ctx context.Context, by caller.Caller, currency string, draws []DrawOf) (*Board, error) {
	key := boardKey{operator: by.IsOperator(), currency: currency, draws: idsOf(draws)}
	if !key.operator {
		key.scope = by.Scope.Pattern()
	}
	return s.watched.boards.Get(ctx, key, func(ctx context.Context) (*Board, error) {
		sums, known := s.watched.sums.GetIfPresent(key)
		if !known {
			sums = &boardSums{}
		}
		board, err := s.board(ctx, by, currency, draws, sums)
		if err != nil {
			s.watched.sums.Invalidate(key)
			return nil, err
		}
		s.watched.sums.Set(key, sums)
		return board, nil
	})
}

// idsOf are the ids of draws as a part of a key.
func idsOf(draws []DrawOf) string {
	ids := make([]uuid.UUID, len(draws))
	for i := range draws {
		ids[i] = draws[i].DrawID
	}
	return recent.Key(ids)
}
