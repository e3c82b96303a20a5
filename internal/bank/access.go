package bank

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/secrets"
	"banca/storage"
)

// Access is the token and the addresses of the bank that the first owner types where the configuration has none.
type Access struct {
	Token     string // "" for none
	Addresses []netip.Prefix
}

// accessEvery is the time within which every process follows a change of the stored access.
const accessEvery = 5 * time.Second

// SetAccessTx stores the access in place of the earlier one. The token is stored as its hash and its end.
func SetAccessTx(ctx context.Context, tx pgx.Tx, a *Access) error {
	var hash []byte
	end := ""
	if a.Token != "" {
		sum := hashToken(a.Token)
		hash, end = sum[:], "••••"+secrets.Tail(a.Token)
	}
	addresses := make([]string, len(a.Addresses))
	for i, p := range a.Addresses {
		addresses[i] = p.String()
	}
	_, err := tx.Exec(ctx, `INSERT INTO bank_access (token_hash, token_end, addresses) VALUES ($1, $2, $3)
		ON CONFLICT (one) DO UPDATE SET token_hash = excluded.token_hash, token_end = excluded.token_end, addresses = excluded.addresses,
		updated_at = now()`, hash, end, addresses)
	if err != nil {
		return fmt.Errorf("store the bank's access: %w", err)
	}
	return nil
}

// Configured reports what of the bank's access the configuration has: the masked token, "" for none, and the addresses.
func (s *Service) Configured() (token string, addresses []netip.Prefix) {
	if len(s.tokens.slots) > 0 {
		token = s.tokens.slots[0].masked
	}
	return token, s.gate.allowed
}

// HasStored reports whether a token is stored, and how many addresses are.
func HasStored(ctx context.Context, q storage.RowQuerier) (token bool, addresses int, err error) {
	err = q.QueryRow(ctx, `SELECT token_hash IS NOT NULL, cardinality(addresses) FROM bank_access`).Scan(&token, &addresses)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, 0, nil
	}
	return token, addresses, err
}

// LoadAccess reads the stored access. The token and the addresses of the configuration win, each by itself.
func (s *Service) LoadAccess(ctx context.Context) error {
	var hash []byte
	var end string
	var texts []string
	err := s.PG.Pool.QueryRow(ctx, `SELECT token_hash, token_end, addresses FROM bank_access`).Scan(&hash, &end, &texts)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the bank's access: %w", err)
	}
	if len(hash) == sha256.Size && len(s.tokens.slots) == 0 {
		s.tokens.stored.Store(&slot{name: SlotCurrent, hash: [sha256.Size]byte(hash), masked: end})
	}
	if len(s.gate.allowed) > 0 {
		return nil
	}
	var stored []netip.Prefix
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			stored = append(stored, p)
		}
	}
	s.gate.stored.Store(&stored)
	return nil
}

// followAccess reads the stored access until ctx ends, unless the configuration has all of it.
func (s *Service) followAccess(ctx context.Context) {
	if len(s.tokens.slots) > 0 && len(s.gate.allowed) > 0 {
		return
	}
	every := time.NewTicker(accessEvery)
	defer every.Stop()
	for {
		_ = s.LoadAccess(ctx) // an outage is logged by its monitor; the next turn reads again
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}
