// Package openrisk has the draws on sale with what they may cost, which the risk board and the start page share.
package openrisk

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/services"
	"banca/models"
	"banca/web/kit"
)

// MaxDraws bounds the draws that are read.
const MaxDraws = 2000

const ofBasisPoints = 100 // a percent

// Reader reads the draws on sale.
type Reader struct{ *services.Services }

// Draws are the draws on sale in a currency, in the order of the catalogue.
type Draws struct {
	Currency ledger.Currency
	List     []Draw
	AsOf     time.Time // of the commissions; zero for users who may not read reports
}

// Draw is a draw on sale, within the scope of the user.
type Draw struct {
	*catalog.Draw
	exposure.DrawRisk

	Game  string
	Kept  money.Amount // sales less commissions
	Bound Bound
	Used  *Used  // of the tightest limit of the user's entity with something left; nil without one
	Spent []Used // limits of the user's entity that allow no more sales
}

// Used is how much of a limit a selection of a draw uses.
type Used struct {
	risk.Usage

	Name string // of the selection
}

// Due is what the dearest outcome costs.
func (d *Draw) Due() money.Amount {
	if d.Worst == nil {
		return 0
	}
	return d.Worst.Liability
}

// WorstText is the dearest outcome with its name; "" without an outcome.
func (d *Draw) WorstText() string { return WorstText(&d.DrawRisk) }

// House is what is left if the dearest outcome is drawn, after commissions.
func (d *Draw) House() money.Amount { return d.Kept - d.Due() }

// Left is the amount that the limits still allow on the dearest outcome.
func (d *Draw) Left() money.Amount { return max(0, d.Bound.Amount-d.Due()) }

// Stopped reports whether the limits allow no more than the dearest outcome costs.
func (d *Draw) Stopped() bool { return d.Bound.Limited && d.Due() >= d.Bound.Amount }

// Alarms reports whether the loss on the dearest outcome is an alarm.
func (d *Draw) Alarms() bool { return d.Bound.Alarms(d.House()) }

// Percent is the used part of the limit in whole percent.
func (u *Used) Percent() int64 {
	return int64(u.Share()) / ofBasisPoints
}

// MeterOf is the used part of a limit: a bar in whole percent, words below one percent.
func MeterOf(v *kit.View, u *risk.Usage) *kit.Meter {
	percent := min(whole-1, (int64(u.Share())+ofBasisPoints/2)/ofBasisPoints)
	switch {
	case u.Spent():
		return &kit.Meter{Percent: whole, Label: v.T("limits.share.spent"), Spent: true}
	case u.Share() < ofBasisPoints && u.Sold > 0:
		return &kit.Meter{Label: v.T("limits.share.little")}
	default:
		return &kit.Meter{Percent: percent, Label: v.T("limits.share.text", percent)}
	}
}

// Meter is the used part of the limit, with the name of the selection.
func (u *Used) Meter(v *kit.View) *kit.Meter {
	meter := MeterOf(v, &u.Usage)
	meter.Label += " · " + u.Name
	return meter
}

// Meter is the used part of the tightest limit, or of a limit that is spent unless the tightest one is an alarm; nil without limits.
func (d *Draw) Meter(v *kit.View) *kit.Meter {
	switch {
	case len(d.Spent) > 0 && (d.Used == nil || d.Used.Percent() < AlarmShare):
		return d.Spent[0].Meter(v)
	case d.Used == nil:
		return nil
	default:
		return d.Used.Meter(v)
	}
}

// Read reads the draws on sale in a currency. Users of one scope share what the draws sold for some seconds ([exposure.Service.RecentBoard]).
// Errors: ledger.ErrCurrencyNotFound, risk.ErrUnavailable.
func (rd *Reader) Read(r *kit.Request, currency ledger.Currency) (*Draws, error) {
	open, _, err := rd.Catalog.Draws(r.Context(), catalog.DrawFilter{Status: models.DrawOpen, Limit: MaxDraws})
	if err != nil {
		return nil, err
	}
	return rd.of(r, currency, open)
}

// Of reads a draw, on sale or not, in a currency. Errors: see Read.
func (rd *Reader) Of(r *kit.Request, currency ledger.Currency, draw *catalog.Draw) (*Draw, error) {
	found, err := rd.of(r, currency, []*catalog.Draw{draw})
	if err != nil {
		return nil, err
	}
	return &found.List[0], nil
}

func (rd *Reader) of(r *kit.Request, currency ledger.Currency, draws []*catalog.Draw) (*Draws, error) {
	ctx, found := r.Context(), &Draws{Currency: currency}
	asked := kit.Map(draws, func(draw **catalog.Draw) exposure.DrawOf {
		return exposure.DrawOf{DrawID: (*draw).ID, GameID: (*draw).GameID}
	})
	board, err := rd.Exposure.RecentBoard(ctx, r.Caller, currency.Code, asked)
	if err != nil {
		return nil, err
	}
	var fees map[uuid.UUID]money.Amount
	withSales := slices.Collect(maps.Keys(board.ByDraw)) // few of the draws of several days
	if fees, found.AsOf, err = rd.Commissions(r, currency.Code, withSales); err != nil {
		return nil, err
	}
	usages, err := rd.usages(r, currency, draws, board)
	if err != nil {
		return nil, err
	}
	usual, err := rd.usualSales(r, currency, draws)
	if err != nil {
		return nil, err
	}
	for _, draw := range draws {
		game, err := rd.Catalog.Game(ctx, draw.GameID) // kept in memory
		if err != nil {
			return nil, err
		}
		d := Draw{Draw: draw, Game: game.Name}
		if of := board.ByDraw[draw.ID]; of != nil {
			d.DrawRisk = *of
		}
		d.Kept = d.Sales - fees[draw.ID]
		d.use(game, usages[draw.ID])
		d.Bound = boundOf(usages[draw.ID], usual[draw.GameID])
		found.List = append(found.List, d)
	}
	return found, nil
}

// use names the selections of a usage.
func (d *Draw) use(game *catalog.Game, usage *risk.DrawUsage) {
	if usage == nil {
		return
	}
	if u := usage.Tightest; u != nil {
		d.Used = &Used{*u, SelectionText(game, u.Selection)}
	}
	for _, u := range usage.Spent {
		d.Spent = append(d.Spent, Used{u, SelectionText(game, u.Selection)})
	}
}

// Commissions returns the commissions on draws and the time up to which they are counted, for users who may read reports; nil for others.
func (rd *Reader) Commissions(r *kit.Request, currency string, draws []uuid.UUID) (fees map[uuid.UUID]money.Amount, asOf time.Time, err error) {
	if !r.May(auth.ReportsRead) {
		return nil, time.Time{}, nil
	}
	totals, err := rd.Reports.Draws(r.Context(), r.Caller, currency, draws)
	if err != nil {
		return nil, time.Time{}, err
	}
	fees = make(map[uuid.UUID]money.Amount, len(totals.ByDraw))
	for draw, f := range totals.ByDraw {
		fees[draw] = f.Commission.Total()
	}
	return fees, totals.AsOf, nil
}

// SalesOn returns the sales on a draw as limits count them.
func SalesOn(draw uuid.UUID, game *catalog.Game, total money.Amount, sold []exposure.Selection) risk.DrawSales {
	selections := kit.Map(sold, func(s *exposure.Selection) risk.SelectionSales { return risk.SelectionSales(*s) })
	return risk.DrawSales{DrawID: draw, GameID: game.ID, CategoryID: game.CategoryID, Total: total, Selections: selections}
}

// salesOf returns the sales on draws as limits count them.
func (rd *Reader) salesOf(r *kit.Request, draws []*catalog.Draw, board *exposure.Board) ([]risk.DrawSales, error) {
	var list []risk.DrawSales
	for _, draw := range draws {
		found := board.ByDraw[draw.ID]
		if found == nil {
			continue
		}
		game, err := rd.Catalog.Game(r.Context(), draw.GameID)
		if err != nil {
			return nil, err
		}
		sold := SalesOn(draw.ID, game, found.Sales, found.Selections)
		if found.Worst != nil {
			sold.Worst, sold.WorstSign = found.Worst.Value, found.Worst.Sign
		}
		list = append(list, sold)
	}
	return list, nil
}
