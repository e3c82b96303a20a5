package receipts

import "strings"

// bet is a Line ready to place.
type bet struct {
	code, name, amount string
}

// group is the bets of one type within a draw.
type group struct {
	betType string
	bets    []bet
}

// groups gathers lines by bet type, types in the order they first appear, lines in their own order.
func groups(lines []Line) []group {
	var gs []group
	for _, l := range lines {
		label := clean(l.BetType)
		i := 0
		for i < len(gs) && gs[i].betType != label {
			i++
		}
		if i == len(gs) {
			gs = append(gs, group{betType: label})
		}
		gs[i].bets = append(gs[i].bets, newBet(&l))
	}
	return gs
}

// newBet joins the elements of a line: codes as 5-12-33, names as LEÓN-CABA-PESC.
func newBet(l *Line) bet {
	if len(l.Elements) == 1 {
		e := l.Elements[0]
		return bet{clean(e.Code), shortName(e.Name), clean(l.Amount)}
	}
	var codes, names []string
	for _, e := range l.Elements {
		codes = append(codes, clean(e.Code))
		if e.Name != "" {
			names = append(names, shortName(e.Name))
		}
	}
	return bet{strings.Join(codes, "-"), strings.Join(names, "-"), clean(l.Amount)}
}

// grid is the widths of the three fields of a bet, each the widest of its group.
type grid struct {
	code, name, amount int
}

// measure returns the grid of bets. Codes have at least two places, and names all four or none, so that
// the draws of an animalitos game line up with each other.
func (m *metrics) measure(bets []bet) grid {
	g := grid{code: 2 * m.advance[plainStyle]}
	for i := range bets {
		g.code = max(g.code, m.text(plainStyle, bets[i].code))
		g.name = max(g.name, m.text(plainStyle, bets[i].name))
		g.amount = max(g.amount, m.text(plainStyle, bets[i].amount))
	}
	if g.name > 0 {
		g.name = max(g.name, nameLength*m.advance[plainStyle])
	}
	return g
}

// total returns the least width of a cell.
func (m *metrics) total(g grid) int {
	w := g.code + m.gap + g.amount
	if g.name > 0 {
		w += m.gap + g.name
	}
	return w
}

// bets places a group: two columns if every bet fits, else one column, else each bet as it fits.
func (rs *rows) bets(bets []bet) {
	g := rs.m.measure(bets)
	need, half := rs.m.total(g), (rs.m.width-rs.m.gutter)/2
	switch {
	case need <= half:
		rs.twoColumns(bets, g, half)
	case need <= rs.m.width:
		for i := range bets {
			c := rs.cell(&bets[i], g, 0, rs.m.width)
			rs.add(textRow, c[:]...)
		}
	default:
		for i := range bets {
			rs.loose(&bets[i])
		}
	}
}

// twoColumns places bets from left to right, then down.
func (rs *rows) twoColumns(bets []bet, g grid, half int) {
	for i := 0; i < len(bets); i += 2 {
		a := rs.cell(&bets[i], g, 0, half)
		if i+1 == len(bets) {
			rs.add(textRow, a[:]...)
			continue
		}
		b := rs.cell(&bets[i+1], g, rs.m.width-half, half)
		rs.add(pairRow, a[0], a[1], a[2], b[0], b[1], b[2])
	}
}

// cell returns the fields of a bet: code to the right of its column as numbers are, name to the left,
// amount to the right edge of the cell.
func (rs *rows) cell(b *bet, g grid, x, width int) [3]field {
	return [3]field{
		{x + g.code - rs.m.text(boldStyle, b.code), boldStyle, b.code},
		{x + g.code + rs.m.gap, plainStyle, b.name},
		{x + width - rs.m.text(plainStyle, b.amount), plainStyle, b.amount},
	}
}

// loose places a bet too wide for its group's grid: in one row if it fits alone, else its code and amount with the
// names below.
func (rs *rows) loose(b *bet) {
	one := []bet{*b}
	if g := rs.m.measure(one); rs.m.total(g) <= rs.m.width {
		c := rs.cell(b, g, 0, rs.m.width)
		rs.add(textRow, c[:]...)
		return
	}
	rs.pair(field{0, boldStyle, b.code}, plainStyle, b.amount)
	rs.left(plainStyle, strings.ReplaceAll(b.name, "-", " "))
}
