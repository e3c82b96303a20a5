package bank

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/cache"
	"banca/models"
)

// The cached directory is reloaded in the background after directoryRefresh and is not used after directoryExpiry.
const (
	directoryRefresh = time.Second
	directoryExpiry  = 5 * time.Second
)

// directory is the data that every call is checked against and that rarely changes.
type directory struct {
	root     uuid.UUID
	currency ledger.Currency
	external uuid.UUID           // the wallet of the operator's account at the bank
	suspense uuid.UUID           // the wallet of deposits without a known owner
	banks    map[string]bool     // by code: whether it is active
	phones   map[string]struct{} // telephone numbers of the operator's accounts, E.164
}

type directoryCache = cache.Cache[struct{}, *directory]

func newDirectoryCache() directoryCache {
	return cache.New(&otter.Options[struct{}, *directory]{
		MaximumSize:       1,
		ExpiryCalculator:  otter.ExpiryWriting[struct{}, *directory](directoryExpiry),
		RefreshCalculator: otter.RefreshWriting[struct{}, *directory](directoryRefresh),
	})
}

// cachedDirectory returns the directory as it was within the last directoryExpiry.
func (s *Service) cachedDirectory(ctx context.Context) (*directory, error) {
	d, err := s.directory.Get(ctx, struct{}{}, otter.LoaderFunc[struct{}, *directory](s.loadDirectory))
	if err != nil {
		return nil, apperr.ErrStore.WithCause(err)
	}
	return d, nil
}

// Forget invalidates the cached directory.
func (s *Service) Forget() { s.directory.InvalidateAll() }

func (s *Service) loadDirectory(ctx context.Context, _ struct{}) (*directory, error) {
	d := &directory{banks: make(map[string]bool), phones: make(map[string]struct{})}
	var err error
	if d.root, err = s.Org.Root(ctx); err != nil {
		return nil, err
	}
	if d.currency, err = s.Ledger.Currency(ctx, s.Options.Currency); err != nil {
		return nil, err
	}
	if d.currency.Digits != AmountDigits {
		return nil, fmt.Errorf("bank: %s has %d digits, the bank's amounts have %d", d.currency.Code, d.currency.Digits, AmountDigits)
	}
	if d.external, err = s.Ledger.OperatorWallet(ctx, d.root, d.currency.ID, models.WalletExternal); err != nil {
		return nil, err
	}
	if d.suspense, err = s.Ledger.OperatorWallet(ctx, d.root, d.currency.ID, models.WalletSuspense); err != nil {
		return nil, err
	}
	list, _, err := s.Banks(ctx, "", maxDirectory, 0)
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		d.banks[b.Code] = b.Status == models.BankActive
	}
	phones, err := s.Org.PaymentPhones(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range phones {
		d.phones[p] = struct{}{}
	}
	return d, nil
}

// maxDirectory bounds the banks in the directory: bank codes have four digits.
const maxDirectory = 10_000

// hasMerchantPhone reports whether payments to a telephone number are credited to one of the operator's accounts.
func (d *directory) hasMerchantPhone(phone string) bool {
	_, ok := d.phones[phone]
	return ok
}
