package bank

import (
	"context"
	"net/netip"
	"time"

	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
)

// Identity is the configuration by which the bank's calls are recognised: TLS, source addresses and tokens, with related
// settings. Tokens are masked.
type Identity struct {
	RequireTLS     bool
	OwnTLS         bool // this process has a TLS listener
	TrustedProxies []netip.Prefix
	AllowedIPs     []netip.Prefix
	Tokens         []TokenState // current, next
	Complete       bool         // addresses and a token are configured, so that calls can pass
	OpenDeposits   bool
	Unmatched      string
	Hold           time.Duration
	Phones         []string // accepted values of TelefonoComercio
}

// TokenState is the state of a token slot.
type TokenState struct {
	Slot       string
	Set        bool
	Masked     string
	LastUsedAt time.Time // zero if never used
}

// Identity returns the configuration by which the bank is recognised. Errors: ErrOperatorOnly.
func (s *Service) Identity(ctx context.Context, by caller.Caller) (*Identity, error) {
	if err := requireOperator(by); err != nil {
		return nil, err
	}
	uses, err := s.tokens.lastUsed(ctx, s.PG)
	if err != nil {
		return nil, apperr.ErrStore.WithCause(err)
	}
	phones, err := s.Org.PaymentPhones(ctx)
	if err != nil {
		return nil, apperr.ErrStore.WithCause(err)
	}
	o := &s.Options
	identity := &Identity{
		RequireTLS: o.RequireTLS, OwnTLS: o.OwnTLS, TrustedProxies: o.TrustedProxies, AllowedIPs: s.gate.addresses(),
		Complete: len(s.gate.addresses()) > 0 && len(s.tokens.accepted()) > 0, OpenDeposits: o.OpenDeposits, Unmatched: o.Unmatched, Hold: o.Hold, Phones: phones,
	}
	for _, name := range []string{SlotCurrent, SlotNext} {
		state := TokenState{Slot: name, LastUsedAt: uses[name]}
		for _, set := range s.tokens.accepted() {
			if set.name == name {
				state.Set, state.Masked = true, set.masked
			}
		}
		identity.Tokens = append(identity.Tokens, state)
	}
	return identity, nil
}
