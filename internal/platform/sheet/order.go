package sheet

import (
	"cmp"
	"math/big"
)

// Empty reports whether the cell has no value.
func (c Cell) Empty() bool { return c.kind == emptyKind || c.kind == textKind && c.text == "" }

// Compare orders the cells of a column: numbers by their values, days, instants, and texts as a function does. Cells without a value are last.
func (c Cell) Compare(other Cell, texts func(a, b string) int) int {
	if c.Empty() || other.Empty() {
		return cmp.Compare(last(c), last(other))
	}
	if c.kind != other.kind {
		return cmp.Compare(c.kind, other.kind)
	}
	switch c.kind {
	case numberKind:
		return c.scaled(other.digits).Cmp(other.scaled(c.digits))
	case dayKind:
		return c.day.Compare(other.day)
	case timeKind:
		return c.at.Compare(other.at)
	default:
		return texts(c.text, other.text)
	}
}

func last(c Cell) int {
	if c.Empty() {
		return 1
	}
	return 0
}

// scaled returns the number in units that another number with digits decimals can be compared in.
func (c Cell) scaled(digits int) *big.Int {
	const ten = 10
	unit := new(big.Int).Exp(big.NewInt(ten), big.NewInt(int64(digits)), nil)
	return unit.Mul(unit, big.NewInt(int64(c.number)))
}
