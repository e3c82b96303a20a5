package kit

import "banca/internal/platform/money"

// dataBar is the length of the bar of an amount, and the place of a threshold; 0 without a threshold.
type dataBar struct{ Length, Threshold Percent }

func newDataBar(amount, greatest, threshold money.Amount) dataBar {
	s := scale{high: max(1, greatest, threshold)}
	return dataBar{Length: s.between(0, max(0, amount)).Width, Threshold: s.of(max(0, threshold))}
}

// WithBar returns a column of amounts with a bar before each of them: as long as the row's part of the greatest amount. threshold is the amount with a
// line across the bars, 0 for none. A narrow screen has no bars.
func (c Column[R]) WithBar(of func(row *R) money.Amount, greatest, threshold money.Amount) Column[R] {
	return c.with(func(v *View, row *R, cell Cell) Cell {
		bar := v.part("databar", newDataBar(of(row), greatest, threshold))
		cell.HTML, cell.err = bar.HTML, bar.err
		return cell
	})
}
