package sales

import (
	"time"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/sales"
)

type catalogue struct {
	Version    string              `json:"version" doc:"of the content; the ETag without its quotes"`
	Entity     deskEntity          `json:"entity"`
	Currency   deskCurrency        `json:"currency" doc:"of the stakes"`
	Currencies []catalogueCurrency `json:"currencies" nullable:"false" doc:"all active ones, to show a total in another one"`
	Games      []catalogueGame     `json:"games" nullable:"false" doc:"on sale and with a draw in draws, in their order"`
	Draws      []catalogueDraw     `json:"draws" nullable:"false" doc:"that the seller can sell now, by time; the first 2,000"`
	Rules      catalogueRules      `json:"rules"`
}

type deskEntity struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	Code string    `json:"code"`
}

type deskCurrency struct {
	ID     uuid.UUID `json:"id"`
	Code   string    `json:"code" example:"VES"`
	Symbol string    `json:"symbol"`
	Digits int       `json:"digits" doc:"digits after the point"`
}

type catalogueCurrency struct {
	ID     uuid.UUID      `json:"id"`
	Code   string         `json:"code" example:"USD"`
	Symbol string         `json:"symbol"`
	Digits int            `json:"digits" doc:"digits after the point"`
	Wallet bool           `json:"wallet" doc:"the seller has an active wallet in it, from which tickets in this currency are sold"`
	Rate   *catalogueRate `json:"rate" doc:"the last one of the pair with the currency of the stakes; null if it was never quoted. Payments of a sale in the other currency count at it, if it is of the last 7 days"`
}

type catalogueRate struct {
	Base  string `json:"base" example:"USD"`
	Quote string `json:"quote" example:"VES"`
	Rate  string `json:"rate" example:"245.6648" doc:"units of quote for one of base"`
	Date  string `json:"date" format:"date" doc:"business day"`
}

type catalogueGame struct {
	ID        uuid.UUID      `json:"id"`
	Name      string         `json:"name"`
	ShortCode string         `json:"short_code"`
	Category  string         `json:"category" doc:"code of the category" example:"ANIMALITOS"`
	Position  int            `json:"position"`
	LogoURL   *string        `json:"logo_url"`
	Kind      string         `json:"kind" enum:"element,number" doc:"draws an element of the grid, or a number"`
	Digits    int            `json:"digits,omitempty" doc:"of the number that is drawn"`
	Signs     []catalogueTag `json:"signs,omitempty" doc:"if a sign is drawn with the number"`
	Elements  []catalogueTag `json:"elements" nullable:"false" doc:"that can be bet on, in their order; none for a number"`
	BetTypes  []catalogueBet `json:"bet_types" nullable:"false"`
}

type catalogueTag struct {
	Code string `json:"code" doc:"text: 0 and 00 are different" example:"05"`
	Name string `json:"name" example:"León"`
}

type catalogueBet struct {
	Type           string            `json:"type" example:"straight"`
	Payout         string            `json:"payout" doc:"times the stake" example:"60"`
	ElementPayouts map[string]string `json:"element_payouts,omitempty" doc:"payouts of elements that pay otherwise, by code"`
	MinStake       *kit.Decimal      `json:"min_stake" doc:"null without a minimum"`
	MaxStake       *kit.Decimal      `json:"max_stake" doc:"null without a maximum"`
	catalog.BetBounds
	Draws int `json:"draws,omitempty" doc:"consecutive draws a bet runs over, if more than one"`
}

type catalogueDraw struct {
	ID         uuid.UUID `json:"id"`
	GameID     uuid.UUID `json:"game_id"`
	DrawNumber string    `json:"draw_number"`
	DrawTime   time.Time `json:"draw_time"`
	SaleStop   time.Time `json:"sale_stop_at" doc:"when sales of the draw stop for the seller"`
}

type catalogueRules struct {
	CancelSeconds      int `json:"cancel_seconds" doc:"how long after its sale a ticket may be cancelled, until the first of its draws stops"`
	PrizeExpirySeconds int `json:"prize_expiry_seconds" doc:"how long after its last draw a prize can be claimed"`
	MaxLines           int `json:"max_lines" doc:"of one ticket"`

	ConfirmLineAbove   *kit.Decimal `json:"confirm_line_above" doc:"amount of a line above which a point of sale asks once, in words; null for never. A sale is not refused by it"`
	ConfirmTicketAbove *kit.Decimal `json:"confirm_ticket_above" doc:"as confirm_line_above, of a ticket"`
	MobilePayments     bool         `json:"mobile_payments" doc:"a ticket may be paid by mobile payment, besides cash and card: its currency is the bank's"`
}

func catalogueBody(c *sales.Catalogue) catalogue {
	return catalogue{
		Entity: deskEntityBody(&c.Seller), Currency: deskCurrencyBody(&c.Currency),
		Currencies: kit.Map(c.Currencies, catalogueCurrencyBody),
		Games:      kit.Map(c.Games, func(g *catalog.Game) catalogueGame { return catalogueGameBody(g, &c.Currency) }),
		Draws: kit.Map(c.Draws, func(d sales.OpenDraw) catalogueDraw {
			return catalogueDraw{ID: d.ID, GameID: d.GameID, DrawNumber: d.Number, DrawTime: d.Time, SaleStop: d.Stop}
		}),
		Rules: catalogueRules{
			CancelSeconds: int(c.Cancel / time.Second), PrizeExpirySeconds: int(c.PrizeExpiry / time.Second),
			MaxLines: c.MaxLines, ConfirmLineAbove: positive(c.ConfirmLine, c.Currency.Digits), ConfirmTicketAbove: positive(c.ConfirmTicket, c.Currency.Digits),
			MobilePayments: c.Mobile,
		},
	}
}

func deskEntityBody(n *org.Node) deskEntity { return deskEntity{ID: n.ID, Name: n.Name, Code: n.Code} }

func deskCurrencyBody(c *ledger.Currency) deskCurrency {
	return deskCurrency{ID: c.ID, Code: c.Code, Symbol: c.Symbol, Digits: c.Digits}
}

func catalogueCurrencyBody(c sales.RatedCurrency) catalogueCurrency {
	b := catalogueCurrency{ID: c.ID, Code: c.Code, Symbol: c.Symbol, Digits: c.Digits, Wallet: c.Wallet}
	if x := c.Rate; x != nil {
		b.Rate = &catalogueRate{Base: x.Base.Code, Quote: x.Quote.Code, Rate: x.Rate.String(), Date: x.Day.String()}
	}
	return b
}

func catalogueGameBody(g *catalog.Game, in *ledger.Currency) catalogueGame {
	m := g.Mechanics()
	b := catalogueGame{
		ID: g.ID, Name: g.Name, ShortCode: g.ShortCode, Category: g.Category, Position: g.Position,
		LogoURL: kit.Optional(g.LogoURL), Kind: m.Kind,
		Elements: []catalogueTag{},
		BetTypes: kit.Map(g.BetTypes(), func(name string) catalogueBet { return catalogueBetBody(g.Rule(name), in) }),
	}
	if m.Kind == catalog.DrawsNumber {
		b.Digits = m.Digits
	} else {
		b.Elements = kit.Map(g.Elements, func(e catalog.Element) catalogueTag { return catalogueTag{Code: e.Code, Name: e.Name} })
	}
	if m.Sign {
		b.Signs = kit.Map(catalog.Signs(), func(code string) catalogueTag { return catalogueTag{Code: code, Name: catalog.SignName(code)} })
	}
	return b
}

func catalogueBetBody(r *catalog.Rule, in *ledger.Currency) catalogueBet {
	b := catalogueBet{
		Type: r.Type, Payout: money.Payout(r.Payout).String(), MinStake: stakeIn(r.MinStake, in),
		MaxStake: stakeIn(r.MaxStake, in), BetBounds: r.BetBounds,
	}
	if window := r.Window(); window > 1 {
		b.Draws = window
	}
	if len(r.ElementPayouts) > 0 {
		b.ElementPayouts = make(map[string]string, len(r.ElementPayouts))
	}
	for code, payout := range r.ElementPayouts {
		b.ElementPayouts[code] = money.Payout(payout).String()
	}
	return b
}

// stakeIn returns a bound in a currency; nil if there is none.
func stakeIn(bound catalog.StakeBound, in *ledger.Currency) *kit.Decimal {
	amount, bounded := bound.In(in.Code, in.Digits)
	if !bounded {
		return nil
	}
	text := kit.DecimalOf(amount, in.Digits)
	return &text
}
