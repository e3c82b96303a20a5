package openrisk

import (
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/web/kit"
)

const (
	whole     = 100 // percent
	usualDays = 3   // business days before today whose sales bound a draw without limits
)

// AlarmShare is the part of a bound in percent from which a loss, or the use of a limit, is an alarm.
const AlarmShare = 70

// Bound is what the house lets a draw cost: the liability that the limits of the user's entity allow on its dearest outcome, otherwise what the game
// sells on three days at the hour of a draw. It is 0 if neither is known.
type Bound struct {
	Amount  money.Amount
	Limited bool // by limits
}

// Share is the part of the bound that an amount is, in whole percent; 0 without a bound.
func (b Bound) Share(amount money.Amount) int64 {
	switch {
	case b.Amount <= 0 || amount <= 0:
		return 0
	case amount >= b.Amount:
		return whole
	}
	return min(whole-1, int64((amount*whole+b.Amount/2)/b.Amount))
}

// ShareText says what part of the bound an amount is; "" without a bound.
func (b Bound) ShareText(v *kit.View, amount money.Amount) string {
	part := v.Share(kit.Percent(b.Share(amount)))
	switch {
	case b.Amount <= 0:
		return ""
	case b.Share(amount) == 0 && amount > 0:
		part = v.T("limits.share.little")
	}
	if b.Limited {
		return v.T("risk.share.limit", part)
	}
	return v.T("risk.share.usual", part)
}

// Alarms reports whether a result of the house is a loss that is an alarm: of an unknown bound every loss.
func (b Bound) Alarms(result money.Amount) bool {
	if b.Amount <= 0 {
		return result < 0
	}
	return b.Share(-result) >= AlarmShare
}

func boundOf(usage *risk.DrawUsage, usual money.Amount) Bound {
	if usage != nil && usage.Allowed > 0 {
		return Bound{Amount: usage.Allowed, Limited: true}
	}
	return Bound{Amount: usual}
}

// usages returns how much of the limits of the user's entity draws use.
func (rd *Reader) usages(r *kit.Request, currency ledger.Currency, draws []*catalog.Draw, board *exposure.Board) (map[uuid.UUID]*risk.DrawUsage, error) {
	sold, err := rd.salesOf(r, draws, board)
	if err != nil {
		return nil, err
	}
	return rd.Limits.DrawUsages(r.Context(), r.Caller, currency.ID, sold)
}

// usualSales returns, of each game, the sales of the days before today as a sum over one draw a day, for users who may read reports; none for others.
func (rd *Reader) usualSales(r *kit.Request, currency ledger.Currency, draws []*catalog.Draw) (map[uuid.UUID]money.Amount, error) {
	usual := map[uuid.UUID]money.Amount{}
	if !r.May(auth.ReportsRead) || len(draws) == 0 {
		return usual, nil
	}
	today := r.Today()
	sold, err := rd.Reports.GameSales(r.Context(), r.Caller, &reports.Filter{From: today.AddDays(-usualDays), To: today.AddDays(-1), Currency: currency.Code})
	if err != nil {
		return nil, err
	}
	for _, draw := range draws {
		if _, known := usual[draw.GameID]; known || sold[draw.GameID] == 0 {
			continue
		}
		game, err := rd.Catalog.Game(r.Context(), draw.GameID) // kept in memory
		if err != nil {
			return nil, err
		}
		usual[game.ID] = sold[game.ID] / money.Amount(max(1, len(game.Schedule().Times)))
	}
	return usual, nil
}
