package sales

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// MaxOpenDraws bounds the draws of a Catalogue: the earliest ones.
const MaxOpenDraws = 2000

// Desk names a seller and the currency in which it sells.
type Desk struct {
	EntityID uuid.UUID
	Currency string // id or code
}

// Catalogue is everything that a point of sale needs to sell.
type Catalogue struct {
	Seller      org.Node
	Currency    ledger.Currency
	Currencies  []RatedCurrency // that are active, Currency included
	Games       []*catalog.Game // that are on sale and have a draw in Draws, in their order
	Draws       []OpenDraw      // by time
	Cancel      time.Duration   // how long after its sale a ticket may be cancelled
	PrizeExpiry time.Duration   // how long after its last draw a prize can be claimed
	MaxLines    int             // of one ticket

	ConfirmLine   money.Amount // above which a point of sale asks once about a line, 0 for never
	ConfirmTicket money.Amount // as ConfirmLine, of a ticket
	Mobile        bool         // tickets in Currency are paid by mobile payment, too
}

// RatedCurrency is a currency with its current exchange rate to another one.
type RatedCurrency struct {
	ledger.Currency

	Rate   *ledger.ExchangeRate // nil if the pair was never quoted
	Wallet bool                 // the seller has an active wallet in it
}

// OpenDraw is a draw that the seller can sell.
type OpenDraw struct {
	*catalog.Draw

	Stop time.Time // when its sales stop for the seller
}

// Catalogue returns what a seller can sell now. The games are cached; the draws, currencies and rates are read.
// Errors: errors of sellerOf, ledger.ErrCurrencyNotFound.
func (s *Service) Catalogue(ctx context.Context, by caller.Caller, desk Desk) (*Catalogue, error) {
	chain, currency, err := s.deskOf(ctx, by, desk)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{
		Seller: chain.Self(), Currency: currency, Cancel: chain.CancelWindow(), PrizeExpiry: chain.PrizeExpiry(),
		MaxLines: s.Options.MaxLines, Mobile: currency.Code == s.Options.PaymentCurrency,
	}
	above := chain.Confirmed()
	c.ConfirmLine, c.ConfirmTicket = wholeUnits(above.Line, currency), wholeUnits(above.Ticket, currency)
	if c.Currencies, err = s.ratedCurrencies(ctx, currency); err != nil {
		return nil, err
	}
	if err := s.markWallets(ctx, by, c); err != nil {
		return nil, err
	}
	if err := s.offer(ctx, chain, c); err != nil {
		return nil, err
	}
	return c, nil
}

// wholeUnits returns an amount of whole units of a currency; 0 for nil.
func wholeUnits(units *int, currency ledger.Currency) money.Amount {
	if units == nil {
		return 0
	}
	amount, _ := money.Parse(strconv.Itoa(*units), currency.Digits) // within the bounds of the setting
	return amount
}

// deskOf checks the seller and the currency.
func (s *Service) deskOf(ctx context.Context, by caller.Caller, desk Desk) (org.Chain, ledger.Currency, error) {
	chain, err := s.sellerOf(ctx, by, desk.EntityID)
	if err != nil {
		return nil, ledger.Currency{}, err
	}
	currency, err := s.Ledger.Currency(ctx, desk.Currency)
	return chain, currency, err
}

// ratedCurrencies returns the active currencies with their rates to a currency on the current business day.
func (s *Service) ratedCurrencies(ctx context.Context, to ledger.Currency) ([]RatedCurrency, error) {
	all, err := s.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	rates, err := s.Ledger.Equivalents(ctx, to, businessday.Of(s.Clock.Now(), s.Options.Zone))
	if err != nil {
		return nil, err
	}
	active := ledger.Active(all)
	list := make([]RatedCurrency, len(active))
	for i := range active {
		list[i].Currency = active[i]
		if rate, quoted := rates[active[i].ID]; quoted {
			list[i].Rate = &rate
		}
	}
	return list, nil
}

// maxWallets bounds the wallets of a seller that are read: one of each currency.
const maxWallets = 100

// markWallets marks the currencies in which the seller has an active wallet.
func (s *Service) markWallets(ctx context.Context, by caller.Caller, c *Catalogue) error {
	wallets, _, err := s.Ledger.Wallets(ctx, by, &ledger.WalletFilter{EntityID: c.Seller.ID, Kind: models.WalletMain, Limit: maxWallets})
	if err != nil {
		return err
	}
	for i := range c.Currencies {
		c.Currencies[i].Wallet = slices.ContainsFunc(wallets, func(w ledger.Wallet) bool {
			return w.CurrencyID == c.Currencies[i].ID && w.Status == models.StatusActive
		})
	}
	return nil
}

// offer adds the draws that the seller can sell, and their games.
func (s *Service) offer(ctx context.Context, chain org.Chain, c *Catalogue) error {
	inherited := chain.SaleStop()
	draws, _, err := s.Catalog.Draws(
		ctx, catalog.DrawFilter{Status: models.DrawOpen, Stop: inherited, Limit: MaxOpenDraws},
	)
	if err != nil {
		return err
	}
	now, games := s.Clock.Now(), map[uuid.UUID]*catalog.Game{}
	c.Draws = make([]OpenDraw, 0, len(draws))
	for _, draw := range draws {
		game, known := games[draw.GameID]
		if !known {
			if game, err = s.Catalog.Game(ctx, draw.GameID); err != nil {
				return err
			}
			games[draw.GameID] = game
		}
		stop := draw.StopFor(inherited)
		if game.Status != models.StatusActive || !draw.OpenAt(now) || !now.Before(stop) {
			continue
		}
		c.Draws = append(c.Draws, OpenDraw{Draw: draw, Stop: stop})
		if !slices.Contains(c.Games, game) {
			c.Games = append(c.Games, game)
		}
	}
	slices.SortFunc(c.Games, func(a, b *catalog.Game) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ShortCode, b.ShortCode))
	})
	return nil
}

// Quota is what a seller's wallet still covers.
type Quota struct {
	Seller      org.Node
	Currency    ledger.Currency
	Balance     money.Amount
	CreditLimit money.Amount
	Available   money.Amount // not below 0; it means nothing if Unlimited
	Unlimited   bool
}

// Quota returns what the wallet covers from which a sale of the seller is debited. A seller without a wallet has the
// zero balance: its first sale opens the wallet. Errors: errors of sellerOf, ledger.ErrCurrencyNotFound.
func (s *Service) Quota(ctx context.Context, by caller.Caller, desk Desk) (*Quota, error) {
	chain, currency, err := s.deskOf(ctx, by, desk)
	if err != nil {
		return nil, err
	}
	q := &Quota{Seller: chain.Self(), Currency: currency}
	wallets, _, err := s.Ledger.Wallets(
		ctx, by,
		&ledger.WalletFilter{EntityID: q.Seller.ID, Currency: currency.ID.String(), Kind: models.WalletMain, Limit: 1},
	)
	if err != nil {
		return nil, err
	}
	if len(wallets) == 0 {
		return q, nil
	}
	w := &wallets[0]
	q.Balance, q.CreditLimit = w.Balance, w.CreditLimit
	if w.Status == models.StatusActive { // sales on any other one are refused
		q.Available, q.Unlimited = max(0, w.Balance+w.CreditLimit), w.Unlimited
	}
	return q, nil
}
