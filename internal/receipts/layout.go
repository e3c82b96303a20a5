package receipts

import (
	"strconv"
	"strings"
)

func (d *Document) qrText() string { return d.QR }

func (d *Document) picture() *Logo { return d.Logo }

// layout places everything a Document shows, from top to bottom, for a medium with metrics m.
func (d *Document) layout(m metrics) *rows {
	n := d.lines()
	rs := &rows{m: m, list: make([]row, 0, 40+n), fields: make([]field, 0, 60+3*n)}
	w := catalogue(d.Language)
	rs.head(d, w)
	rs.identity(d, w)
	for i := range d.Games {
		rs.game(&d.Games[i])
	}
	rs.total(d, w, n)
	rs.payment(d.PaymentInfo, w)
	rs.foot(d, w)
	return rs
}

// head places the seller and the marks of a void or reprinted ticket.
func (rs *rows) head(d *Document, w words) {
	if d.Logo != nil {
		rs.add(logoRow)
	}
	title := clean(d.Title)
	if columns(title) <= rs.m.capacity(largeStyle) {
		rs.centre(largeStyle, title)
	} else {
		rs.centre(boldStyle, title)
	}
	rs.centre(plainStyle, clean(d.Subtitle))
	for _, s := range d.Header {
		rs.centre(plainStyle, clean(s))
	}
	if d.Cancelled {
		rs.add(barRow, rs.centred(largeStyle, w.cancelled))
	}
	if d.Copy {
		rs.add(frameRow, rs.centred(boldStyle, w.copied))
	}
}

// identity places the codes of the ticket, the time of its sale and its seller. The codes are large if they fit
// on the line of their labels, because people read them out on the telephone. A void ticket has no validation code.
func (rs *rows) identity(d *Document, w words) {
	rs.rule()
	rs.code(w.serial, clean(d.SerialCode))
	if !d.Cancelled {
		rs.code(w.validation, clean(d.ValidationCode))
	}
	rs.fact(w.issued, clean(d.IssuedAt))
	rs.fact(w.seller, clean(d.Seller))
	rs.fact(w.customer, clean(d.Customer))
}

// code places a labelled code.
func (rs *rows) code(label, value string) {
	if value == "" {
		return
	}
	st := largeStyle
	if rs.m.text(plainStyle, label+" ")+rs.m.text(st, value) > rs.m.width {
		st = boldStyle
	}
	rs.pair(field{0, plainStyle, label}, st, value)
}

// fact places a labelled text.
func (rs *rows) fact(label, value string) {
	if value != "" {
		rs.pair(field{0, plainStyle, label}, plainStyle, value)
	}
}

// game places a game with its draws.
func (rs *rows) game(g *Game) {
	if g.lines() == 0 {
		return
	}
	rs.rule()
	rs.left(boldStyle, strings.ToUpper(clean(g.Name)))
	first := true
	for i := range g.Draws {
		if len(g.Draws[i].Lines) == 0 {
			continue
		}
		if !first {
			rs.add(gapRow)
		}
		first = false
		rs.draw(&g.Draws[i])
	}
}

// draw places a draw's heading and its bets, one grid per bet type.
func (rs *rows) draw(d *Draw) {
	rs.drawHeading(clean(d.Label))
	for _, g := range groups(d.Lines) {
		if g.betType != "" {
			rs.left(plainStyle, "» "+g.betType)
		}
		rs.bets(g.bets)
	}
}

// drawHeading places a draw's label, with the thin line on its last row.
func (rs *rows) drawHeading(label string) {
	lines := rs.lines(plainStyle, label)
	for i, line := range lines {
		kind := textRow
		if i == len(lines)-1 {
			kind = headingRow
		}
		rs.add(kind, field{0, plainStyle, line})
	}
}

// total places the number of bets and the amount to pay, and repeats that a void ticket is void.
func (rs *rows) total(d *Document, w words, lines int) {
	rs.rule()
	if lines == 1 {
		rs.right(plainStyle, "1 "+w.bet)
	} else {
		rs.right(plainStyle, strconv.Itoa(lines)+" "+w.bets)
	}
	if total := clean(d.Total); total != "" {
		label := field{0, largeStyle, strings.TrimSpace(w.total + " " + clean(d.Unit))}
		if rs.m.text(largeStyle, label.text+" "+total) > rs.m.width {
			label.style = boldStyle
		}
		st := largeStyle
		if columns(total) > rs.m.capacity(st) {
			st = boldStyle
		}
		rs.pair(label, st, total)
	}
	if d.Cancelled {
		rs.add(barRow, rs.centred(largeStyle, w.cancelled))
	}
}

// payment places how to pay, for a ticket sold on credit.
func (rs *rows) payment(info []string, w words) {
	if len(info) == 0 {
		return
	}
	rs.rule()
	rs.left(boldStyle, w.payment)
	for _, s := range info {
		rs.left(plainStyle, clean(s))
	}
}

// foot places the QR code and the closing notes.
func (rs *rows) foot(d *Document, w words) {
	if d.QR == "" && len(d.Footer) == 0 {
		return
	}
	rs.rule()
	if d.QR != "" {
		rs.add(qrRow)
		rs.centre(plainStyle, w.scan)
	}
	if d.QR != "" && len(d.Footer) > 0 {
		rs.add(gapRow)
	}
	for _, s := range d.Footer {
		rs.centre(plainStyle, clean(s))
	}
}
