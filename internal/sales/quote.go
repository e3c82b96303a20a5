package sales

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/iddoc"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/phone"
	"banca/internal/risk"
	"banca/models"
)

// maxPrize bounds the prize of one line, so that stake times payout stays exact in the risk script's
// double-precision numbers.
const maxPrize money.Amount = 10_000_000_000_000

// maxCustomerName bounds a buyer's name, in characters.
const maxCustomerName = 100

// quote is a request that passed every check that needs neither Redis nor a lock.
type quote struct {
	now          time.Time
	chain        org.Chain
	currency     ledger.Currency
	customer     *NewCustomer // normalised
	stop         time.Time    // when the first of the draws stops for this seller
	lines        []Line
	risks        []risk.Line // parallel to lines
	games        []*catalog.Game
	rates        []lineRates // parallel to lines, set once the lines are priced
	cancelBefore time.Time
	expiresAt    time.Time
}

// quote checks a request and names every line that cannot be sold.
func (s *Service) quote(ctx context.Context, by caller.Caller, req *SellRequest) (*quote, error) {
	switch {
	case len(req.Items) == 0:
		return nil, ErrNoLines
	case len(req.Items) > s.Options.MaxLines:
		return nil, ErrTooManyLines
	}
	q := &quote{now: s.Clock.Now().Truncate(time.Microsecond)} // Postgres keeps microseconds
	var err error
	if q.chain, err = s.sellerOf(ctx, by, req.EntityID); err != nil {
		return nil, err
	}
	if q.currency, err = s.Ledger.Currency(ctx, req.Currency); err != nil {
		return nil, err
	}
	if q.customer, err = s.customerOf(ctx, req); err != nil {
		return nil, err
	}
	if err := s.quoteLines(ctx, q, req.Items); err != nil {
		return nil, err
	}
	q.setTimes()
	return q, nil
}

// sellerOf returns the selling entity's chain if it may sell and the caller may sell for it.
func (s *Service) sellerOf(ctx context.Context, by caller.Caller, entityID uuid.UUID) (org.Chain, error) {
	chain, err := s.Org.Chain(ctx, entityID)
	switch {
	case err != nil:
		return nil, err
	case !by.Scope.Contains(chain.Path()):
		return nil, org.ErrEntityNotFound
	case !chain.Active():
		return nil, org.ErrCannotSell
	case chain.Self().Type != models.EntityTicketPoint || len(chain) < 2:
		return nil, ErrNotTicketPoint
	}
	return chain, nil
}

func (s *Service) customerOf(ctx context.Context, req *SellRequest) (*NewCustomer, error) {
	if req.CustomerID != uuid.Nil {
		return nil, s.checkCustomer(ctx, req.CustomerID, req.EntityID)
	}
	if req.Customer == nil {
		return nil, nil //nolint:nilnil // no buyer is named, which is the ordinary case
	}
	name := strings.TrimSpace(req.Customer.Name)
	number, err := phone.Normalise(req.Customer.Phone)
	if err != nil || name == "" || utf8.RuneCountInString(name) > maxCustomerName || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return nil, ErrInvalidCustomer
	}
	c := &NewCustomer{Name: name, Phone: number}
	if req.Customer.IDDocument != "" {
		id, err := iddoc.Parse(req.Customer.IDDocument)
		if err != nil {
			return nil, ErrInvalidCustomer.WithDetails(apperr.Detail{Location: "customer.id_document", Message: iddoc.ErrInvalid.Message})
		}
		c.IDDocument = id.String()
	}
	return c, nil
}

// quoteLines checks each item and merges identical ones; all refusals are reported together.
func (s *Service) quoteLines(ctx context.Context, q *quote, items []Item) error {
	type identity struct {
		draw      uuid.UUID
		bet, pick string
	}
	seen := make(map[identity]int, len(items))
	counted := make(map[string]int)
	var refused []apperr.Detail
	for i := range items {
		line, game, wrong, err := s.quoteItem(ctx, q, &items[i])
		if err != nil {
			return err
		}
		if wrong != nil {
			refused = append(refused, wrong.At(apperr.ItemAt(i)))
			continue
		}
		id := identity{line.DrawID, line.BetType, line.Selection}
		if at, ok := seen[id]; ok {
			q.lines[at].Amount += line.Amount
			continue
		}
		if limit := game.Rule(line.BetType).MaxPerTicket; limit > 0 {
			bet := game.ShortCode + " " + line.BetType
			if counted[bet]++; counted[bet] > limit {
				refused = append(refused, apperr.Line("TOO_MANY_OF_BET_TYPE", "more lines of this bet type than one ticket may have",
					"maximum", strconv.Itoa(limit), "game", game.Name).At(apperr.ItemAt(i)))
				continue
			}
		}
		seen[id] = len(q.lines)
		q.lines, q.games = append(q.lines, line), append(q.games, game)
		q.risks = append(q.risks, risk.Line{Item: i})
	}
	refused = append(refused, q.priceLines()...)
	if len(refused) > 0 {
		return ErrInvalidTicket.WithDetails(refused...)
	}
	return nil
}

// quoteItem checks one item. The detail is the reason why it cannot be sold; err is a failure, not a refusal.
func (s *Service) quoteItem(ctx context.Context, q *quote, item *Item) (Line, *catalog.Game, *apperr.Detail, error) {
	id, err := uuid.Parse(item.DrawID)
	if err != nil {
		return Line{}, nil, apperr.Line("INVALID_DRAW_ID", "draw_id is not an id"), nil //nolint:nilerr // it is the refusal
	}
	draw, err := s.Catalog.Draw(ctx, id)
	if errors.Is(err, catalog.ErrDrawNotFound) {
		return Line{}, nil, apperr.Line("UNKNOWN_DRAW", "draw is unknown"), nil
	}
	if err != nil {
		return Line{}, nil, nil, ErrStore.WithCause(err)
	}
	game, err := s.Catalog.Game(ctx, draw.GameID)
	if err != nil {
		return Line{}, nil, nil, ErrStore.WithCause(err)
	}
	stop := draw.StopFor(q.chain.SaleStop())
	switch {
	case game.Status != models.StatusActive:
		return Line{}, nil, apperr.Line("GAME_NOT_ON_SALE", "game is not on sale", "game", game.Name), nil
	case !draw.OpenAt(q.now) || !q.now.Before(stop):
		return Line{}, nil, apperr.Line("DRAW_CLOSED", "sales of the draw have stopped", "draw", draw.Number, "game", game.Name), nil
	case q.stop.IsZero() || stop.Before(q.stop):
		q.stop = stop
	}
	selection, refused := game.Select(item.BetType, item.Selection)
	if refused != nil {
		return Line{}, nil, refused, nil
	}
	amount, err := money.Parse(item.Amount, q.currency.Digits)
	if err != nil {
		return Line{}, nil, apperr.Line("INVALID_AMOUNT", "amount "+money.ErrAmount.Message, "digits", strconv.Itoa(q.currency.Digits)), nil //nolint:nilerr // it is the refusal
	}
	return Line{
		DrawID: id, DrawNumber: draw.Number, DrawTime: draw.Time,
		GameID: game.ID, GameName: game.Name, GameCode: game.ShortCode,
		BetType: item.BetType, Selection: selection.Key, Name: selection.Name, Amount: amount,
		Payout: game.Rule(item.BetType).PayoutFor(selection.Key),
	}, game, nil, nil
}

// priceLines checks merged amounts against the stake bounds, sets the prizes and prepares the lines
// for the risk engine.
func (q *quote) priceLines() []apperr.Detail {
	var refused []apperr.Detail
	for i := range q.lines {
		l, g := &q.lines[i], q.games[i]
		rule := g.Rule(l.BetType)
		least, _ := rule.MinStake.In(q.currency.Code, q.currency.Digits)
		most, bounded := rule.MaxStake.In(q.currency.Code, q.currency.Digits)
		var wrong *apperr.Detail
		switch {
		case l.Amount > maxPrize*100/money.Amount(l.Payout) || l.Amount > money.MaxAmount: // before anything is multiplied
			wrong = apperr.Line("AMOUNT_TOO_LARGE", "amount is too large")
		case l.Amount < least:
			minimum := least.Format(q.currency.Digits)
			wrong = apperr.Line("STAKE_TOO_LOW", "amount is below the least stake, "+minimum, "minimum", minimum, "currency", q.currency.Code)
		case bounded && l.Amount > most:
			maximum := most.Format(q.currency.Digits)
			wrong = apperr.Line("STAKE_TOO_HIGH", "amount is above the greatest stake, "+maximum, "maximum", maximum, "currency", q.currency.Code)
		}
		if wrong != nil {
			refused = append(refused, wrong.At(apperr.ItemAt(q.risks[i].Item)))
			continue
		}
		l.PotentialPrize = l.Payout.Of(l.Amount)
		q.risks[i] = risk.Line{
			Item: q.risks[i].Item, DrawID: l.DrawID, GameID: l.GameID, CategoryID: g.CategoryID,
			BetType: l.BetType, Selection: l.Selection, Stake: l.Amount, Payout: l.Payout, Prize: l.PotentialPrize, MinStake: max(least, 1),
		}
	}
	return refused
}

// setTimes derives until when the ticket can be cancelled and its prize claimed.
func (q *quote) setTimes() {
	q.cancelBefore = q.now.Add(q.chain.CancelWindow())
	for i := range q.lines {
		if end := q.lines[i].DrawTime.Add(q.chain.PrizeExpiry()); end.After(q.expiresAt) {
			q.expiresAt = end
		}
	}
}

func (q *quote) riskRequest(ticketID uuid.UUID, partial bool) *risk.Request {
	return &risk.Request{
		TicketID: ticketID, Chain: q.chain, Lines: q.risks, Partial: partial,
		Currency: risk.Currency{ID: q.currency.ID, Code: q.currency.Code, Digits: q.currency.Digits},
	}
}

// cut applies a partial reservation: lines shrink or go, and every cut is named once.
func (q *quote) cut(res *risk.Reservation) []Cut {
	var cuts []Cut
	kept := 0
	for i := range q.lines {
		l := q.lines[i]
		granted := res.Accepted[i]
		if granted < l.Amount {
			cuts = append(cuts, cutOf(res, i, q.risks[i].Item, l.Amount))
			l.Amount, l.PotentialPrize = granted, l.Payout.Of(granted)
		}
		if granted > 0 {
			q.lines[kept], q.games[kept] = l, q.games[i]
			kept++
		}
	}
	q.lines, q.games = q.lines[:kept], q.games[:kept]
	return cuts
}

// cutOf names the tightest limit behind a cut.
func cutOf(res *risk.Reservation, line, item int, requested money.Amount) Cut {
	cut := Cut{Item: item, Requested: requested, Accepted: res.Accepted[line]}
	tightest := money.Amount(-1)
	for _, c := range res.Cuts {
		if c.Line == line && (tightest < 0 || c.Available < tightest) {
			tightest, cut.Level, cut.Limit, cut.Sold = c.Available, c.Level, c.Limit, c.Sold
		}
	}
	return cut
}

// margins sums each level's commission over the lines, from the root's child down to the seller.
func (q *quote) margins() []money.Amount {
	sums := make([]money.Amount, len(q.chain)-1)
	for i := range q.lines {
		for level, part := range money.SplitByMargins(q.lines[i].Amount, q.rates[i].rates) {
			sums[level] += part
		}
	}
	return sums
}

// lineRates are a line's commission rates, from the root's child down to the seller.
type lineRates struct {
	rates []money.BasisPoints
	text  string // as a Postgres array, because unnest cannot take arrays of arrays
}

// setRates looks up the rates of the lines that are sold; neighbours mostly share them.
func (q *quote) setRates() {
	q.rates = make([]lineRates, len(q.lines))
	for i := range q.lines {
		category, bet := q.games[i].Category, q.lines[i].BetType
		if i > 0 && q.games[i-1].Category == category && q.lines[i-1].BetType == bet {
			q.rates[i] = q.rates[i-1]
			continue
		}
		rates := q.chain.CommissionRates(category, bet)
		q.rates[i] = lineRates{rates: rates, text: arrayText(rates)}
	}
}

func arrayText(rates []money.BasisPoints) string {
	text := []byte{'{'}
	for i, rate := range rates {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(rate), 10)
	}
	return string(append(text, '}'))
}
