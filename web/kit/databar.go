package kit

import "banca/internal/platform/money"

// dataBar is the length of an amount beside those of the other rows, and the place of a threshold; 0 without one.
type dataBar struct{ Length, Threshold Percent }

// WithBar returns a column of amounts with a bar before each of them: as long as the row's part of the greatest amount. threshold is the amount with a
// line across the bars, 0 for none. A narrow screen has no bars.
func (c Column[R]) WithBar(of func(row *R) money.Amount, greatest, threshold money.Amount) Column[R] {
	s := scale{high: max(1, greatest, threshold)}
	return c.with(func(v *View, row *R, cell Cell) Cell {
		bar := v.part("databar", dataBar{Length: s.between(0, of(row)).Width, Threshold: s.of(max(0, threshold))})
		cell.HTML, cell.err = bar.HTML, bar.err
		return cell
	})
}
