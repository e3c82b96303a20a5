package sales

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
)

// maxPrize bounds the prize of one line, so that stake times payout stays exact in the risk script's
// double-precision numbers.
const maxPrize money.Amount = 10_000_000_000_000

// quote is a request that passed every check that needs neither Redis nor a lock.
type quote struct {
	now          time.Time
	chain        org.Chain
	currency     ledger.Currency
	customer     *NewCustomer // normalised
	customerID   uuid.UUID    // named by id; Nil if none is
	stop         time.Time    // when the first of the draws stops for this seller
	lines        []quotedLine
	payments     []Payment
	cancelBefore time.Time
	expiresAt    time.Time
}

// quotedLine is a line with its game, minimum stake and commission rates.
type quotedLine struct {
	Line

	item     int // index of its item in the request; the first index if items were merged
	game     *catalog.Game
	minStake money.Amount
	rates    lineRates // set after the reservation, by setRates
}

// quote checks and prices a request. ErrInvalidTicket names every line that cannot be sold.
func (s *Service) quote(ctx context.Context, by caller.Caller, r *request) (*quote, error) {
	switch {
	case len(r.Items) == 0:
		return nil, ErrNoLines
	case len(r.Items) > s.Options.MaxLines:
		return nil, ErrTooManyLines
	}
	q := &quote{now: s.Clock.Now().Truncate(time.Microsecond)} // Postgres keeps microseconds
	var err error
	if q.chain, err = s.sellerOf(ctx, by, r.EntityID); err != nil {
		return nil, err
	}
	if q.currency, err = s.Ledger.Currency(ctx, r.Currency); err != nil {
		return nil, err
	}
	if r.CustomerID != uuid.Nil {
		q.customerID, err = s.resolveCustomer(ctx, r.CustomerID, r.EntityID)
	} else {
		q.customer, err = r.customer, r.refusal
	}
	if err != nil {
		return nil, err
	}
	if err := s.quoteLines(ctx, q, r); err != nil {
		return nil, err
	}
	q.setTimes()
	return q, s.quotePayments(ctx, q, r)
}

// sellerOf returns the chain of the selling entity. Errors: org.ErrEntityNotFound outside the caller's scope,
// org.ErrCannotSell, ErrNotTicketPoint.
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

// quoteLines checks each item and merges identical ones; all refusals are reported together.
func (s *Service) quoteLines(ctx context.Context, q *quote, r *request) error {
	type identity struct {
		draw      uuid.UUID
		bet, pick string
	}
	seen := make(map[identity]int, len(r.Items))
	counted := make(map[string]int)
	q.lines = make([]quotedLine, 0, len(r.Items))
	var refused []apperr.Detail
	for i := range r.Items {
		line, wrong, err := s.quoteItem(ctx, q, r.draws[i], &r.Items[i])
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
		if limit := line.game.Rule(line.BetType).MaxPerTicket; limit > 0 {
			bet := line.game.ShortCode + " " + line.BetType
			if counted[bet]++; counted[bet] > limit {
				refused = append(refused, apperr.Line("TOO_MANY_OF_BET_TYPE", "more lines of this bet type than one ticket may have",
					"maximum", strconv.Itoa(limit), "game", line.game.Name).At(apperr.ItemAt(i)))
				continue
			}
		}
		seen[id] = len(q.lines)
		line.item = i
		q.lines = append(q.lines, *line)
	}
	refused = append(refused, q.priceLines()...)
	if len(refused) > 0 {
		return ErrInvalidTicket.WithDetails(refused...)
	}
	return nil
}

// quoteItem checks one item and returns its line. The detail is the reason why it cannot be sold; err is a failure,
// not a refusal.
func (s *Service) quoteItem(
	ctx context.Context, q *quote, id uuid.NullUUID, item *Item,
) (*quotedLine, *apperr.Detail, error) {
	if !id.Valid {
		return nil, apperr.Line("INVALID_DRAW_ID", "draw_id is not an id"), nil
	}
	draw, err := s.Catalog.Draw(ctx, id.UUID)
	if errors.Is(err, catalog.ErrDrawNotFound) {
		return nil, apperr.Line("UNKNOWN_DRAW", "draw is unknown"), nil
	}
	if err != nil {
		return nil, nil, apperr.ErrStore.WithCause(err)
	}
	game, err := s.Catalog.Game(ctx, draw.GameID)
	if err != nil {
		return nil, nil, apperr.ErrStore.WithCause(err)
	}
	stop := draw.StopFor(q.chain.SaleStop())
	switch {
	case game.Status != models.StatusActive:
		return nil, apperr.Line("GAME_NOT_ON_SALE", "game is not on sale", "game", game.Name), nil
	case !draw.OpenAt(q.now) || !q.now.Before(stop):
		return nil, apperr.Line("DRAW_CLOSED", "sales of the draw have stopped", "time", draw.Time.In(s.Options.Zone).Format("3:04 pm"), "game", game.Name), nil
	case q.stop.IsZero() || stop.Before(q.stop):
		q.stop = stop
	}
	selection, refused := game.Select(item.BetType, item.Selection)
	if refused != nil {
		return nil, refused, nil
	}
	amount, err := money.Parse(item.Amount, q.currency.Digits)
	if err != nil {
		wrong := apperr.Line("INVALID_AMOUNT", "amount "+money.Expected, "digits", strconv.Itoa(q.currency.Digits))
		return nil, wrong, nil //nolint:nilerr // it is the refusal
	}
	return &quotedLine{game: game, Line: Line{
		DrawID: id.UUID, DrawNumber: draw.Number, DrawTime: draw.Time,
		GameID: game.ID, GameName: game.Name, GameCode: game.ShortCode,
		BetType: item.BetType, Selection: selection.Key, Name: selection.Name, Amount: amount,
		Payout: game.Rule(item.BetType).PayoutFor(selection.Key),
	}}, nil, nil
}

// priceLines checks merged amounts against the stake bounds and sets the prizes.
func (q *quote) priceLines() []apperr.Detail {
	var refused []apperr.Detail
	for i := range q.lines {
		l := &q.lines[i]
		rule := l.game.Rule(l.BetType)
		least, wrong := rule.CheckStake(l.Amount, q.currency.Code, q.currency.Digits)
		if l.Amount > maxPrize*100/money.Amount(l.Payout) || l.Amount > money.MaxAmount { // before anything is multiplied
			wrong = apperr.Line("AMOUNT_TOO_LARGE", "amount is too large")
		}
		if wrong != nil {
			refused = append(refused, wrong.At(apperr.ItemAt(l.item)))
			continue
		}
		l.PotentialPrize, l.minStake = l.Payout.Of(l.Amount), least
	}
	return refused
}

// setTimes sets the end of the time to cancel the ticket and the end of the time to claim its prize.
func (q *quote) setTimes() {
	q.cancelBefore = q.now.Add(q.chain.CancelWindow())
	for i := range q.lines {
		if end := q.lines[i].DrawTime.Add(q.chain.PrizeExpiry()); end.After(q.expiresAt) {
			q.expiresAt = end
		}
	}
}

func (q *quote) riskRequest(ticketID uuid.UUID, partial bool) *risk.Request {
	lines := make([]risk.Line, len(q.lines))
	for i := range q.lines {
		l := &q.lines[i]
		lines[i] = risk.Line{
			Item: l.item, DrawID: l.DrawID, GameID: l.GameID, CategoryID: l.game.CategoryID,
			BetType: l.BetType, Selection: l.Selection, Stake: l.Amount, Payout: l.Payout, Prize: l.PotentialPrize,
			MinStake: max(l.minStake, 1),
		}
	}
	return &risk.Request{
		TicketID: ticketID, Chain: q.chain, Lines: lines, Partial: partial,
		Currency: risk.Currency{ID: q.currency.ID, Code: q.currency.Code, Digits: q.currency.Digits},
	}
}

// cut applies a partial reservation: it reduces or removes lines, and returns one Cut for each.
func (q *quote) cut(res *risk.Reservation) []Cut {
	var cuts []Cut
	kept := q.lines[:0]
	for i, l := range q.lines {
		granted := res.Accepted[i]
		if granted < l.Amount {
			cuts = append(cuts, cutOf(res, i, l.item, l.Amount))
			l.Amount, l.PotentialPrize = granted, l.Payout.Of(granted)
		}
		if granted > 0 {
			kept = append(kept, l)
		}
	}
	q.lines = kept
	return cuts
}

// cutOf returns the cut of a line with the limit that left the least.
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

// margins returns the commission of each level on all lines, from the operator's child down to the seller.
func (q *quote) margins() []money.Amount {
	sums := make([]money.Amount, len(q.chain)-1)
	for i := range q.lines {
		for level, part := range money.SplitByMargins(q.lines[i].Amount, q.lines[i].rates.rates) {
			sums[level] += part
		}
	}
	return sums
}

// lineRates are a line's commission rates, from the operator's child down to the seller.
type lineRates struct {
	rates []money.BasisPoints
	text  string // as a Postgres array, because unnest cannot take arrays of arrays
}

// setRates looks up the commission rates of the lines that are sold. Consecutive lines usually have the same rates.
func (q *quote) setRates() {
	for i := range q.lines {
		l := &q.lines[i]
		if i > 0 && q.lines[i-1].game.Category == l.game.Category && q.lines[i-1].BetType == l.BetType {
			l.rates = q.lines[i-1].rates
			continue
		}
		rates := q.chain.CommissionRates(l.game.Category, l.BetType)
		l.rates = lineRates{rates: rates, text: arrayText(rates)}
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
