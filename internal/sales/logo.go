package sales

import (
	"context"
	"log/slog"
	"time"

	"github.com/maypok86/otter/v2"

	"banca/internal/org"
	"banca/internal/platform/cache"
	"banca/internal/receipts"
)

// Limits of the cache of logos. The object of a logo never changes. One that could not be read is left out for logoRetry, so
// that not every receipt waits for an object store that hangs.
const (
	logosKept = 256 // 45 kB each
	logoLife  = time.Hour
	logoRetry = 30 * time.Second
)

func newLogos() cache.Cache[string, *receipts.Logo] {
	return cache.New(&otter.Options[string, *receipts.Logo]{
		MaximumSize: logosKept,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, *receipts.Logo]) time.Duration {
			if e.Value == nil {
				return logoRetry
			}
			return logoLife
		}),
	})
}

// HouseLogo returns the PNG of the operator's logo; nil for none.
func (s *Service) HouseLogo(ctx context.Context) ([]byte, error) {
	root, err := s.Org.Root(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, root)
	if err != nil {
		return nil, err
	}
	printing := chain.Printing()
	return s.logo(ctx, &printing).PNG(), nil
}

// logo returns the logo of an entity's receipts; nil for none, and where the object store does not answer, because a receipt
// does not fail for it.
func (s *Service) logo(ctx context.Context, printing *org.PrintInfo) *receipts.Logo {
	if printing.Logo == "" {
		return nil
	}
	logo, err := s.logos.Get(ctx, printing.Logo, otter.LoaderFunc[string, *receipts.Logo](func(ctx context.Context, key string) (*receipts.Logo, error) {
		file, err := s.Org.Logo(ctx, key)
		if err != nil {
			return nil, err
		}
		return receipts.NewLogo(file)
	}))
	if err != nil {
		if ctx.Err() == nil {
			s.logos.Set(printing.Logo, nil)
		}
		s.Log.LogAttrs(ctx, slog.LevelWarn, "sales: receipt without its logo", slog.String("object", printing.Logo), slog.Any("error", err))
		return nil
	}
	return logo
}
