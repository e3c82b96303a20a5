package receipts

// Distances of the picture in pixels.
const (
	sideMargin  = 4  // letters bring a pixel of their own; a head prints to the edge
	endMargin   = 16 // above the first and below the last row
	rowLeading  = 3  // between text rows: bets are read across
	gapHeight   = 8
	dotPitch    = 3 // of the dotted line between columns; divides the height of a row
	ruleMargin  = 8 // above and below a rule
	ruleWeight  = 2 // a single dot row fades on worn heads
	markPadding = 8 // above and below the text of a bar or frame
	markMargin  = 8 // above and below a bar or frame
)

// pictureMetrics returns the metrics of the picture of a width. A cell of 178 px just holds `05 CABA 1.000,00`, the widest
// that reads well beside another.
func pictureMetrics(a *atlas, width int) metrics {
	m := metrics{width: width - 2*sideMargin, gap: 5, gutter: 20}
	for st, f := range a {
		m.advance[st] = f.advance
	}
	return m
}

// paint draws the receipt on an empty canvas, in its width. It fails for a picture beyond MaxHeight and for a text
// too long for a QR code.
func (a *atlas) paint(c *canvas, d Printable) error {
	rs := d.layout(pictureMetrics(a, c.width))
	c.extend(endMargin)
	for _, r := range rs.list {
		if c.height > MaxHeight {
			return ErrTooLarge
		}
		switch r.kind {
		case qrRow:
			code, module, err := qrEncode(d.qrText())
			if err != nil {
				return err
			}
			c.qr(code, module)
		case logoRow:
			c.logo(d.picture())
		default:
			a.row(c, r.kind, rs.of(r))
		}
	}
	c.extend(endMargin)
	return nil
}

// row draws one row of text or lines.
func (a *atlas) row(c *canvas, kind rowKind, fields []field) {
	switch kind {
	case textRow:
		a.fields(c, fields)
	case pairRow:
		a.pair(c, fields)
	case headingRow:
		a.heading(c, fields)
	case ruleRow:
		y := c.extend(2*ruleMargin + ruleWeight)
		c.fill(0, y+ruleMargin, c.width, ruleWeight)
	case gapRow:
		c.extend(gapHeight)
	case barRow, frameRow:
		a.mark(c, kind, fields)
	case qrRow, logoRow: // the caller draws them
	}
}

// fields draws texts on one base line, the tallest deciding the height of the row.
func (a *atlas) fields(c *canvas, fields []field) {
	height, ascent := 0, 0
	for i := range fields {
		f := a[fields[i].style]
		height, ascent = max(height, f.height), max(ascent, f.ascent)
	}
	y := c.extend(height + rowLeading)
	for i := range fields {
		f := a[fields[i].style]
		c.text(f, sideMargin+fields[i].x, y+ascent-f.ascent, fields[i].text)
	}
}

// pair draws two cells with a dotted line between, lest an amount be read on into the next code.
func (a *atlas) pair(c *canvas, fields []field) {
	top := c.height
	a.fields(c, fields)
	for y := top; y < c.height; y += dotPitch {
		c.fill(c.width/2, y, 1, 1)
	}
}

// heading draws a draw's label and a line from it to the right edge at half the height of a capital.
func (a *atlas) heading(c *canvas, fields []field) {
	top := c.height
	a.fields(c, fields)
	last := fields[len(fields)-1]
	f := a[last.style]
	x := sideMargin + last.x + (columns(last.text)+1)*f.advance
	if last.text == "" {
		x = sideMargin
	}
	if x < c.width-sideMargin {
		c.fill(x, top+f.ascent*2/3, c.width-sideMargin-x, 1)
	}
}

// mark draws a text in a black bar, or in a frame.
func (a *atlas) mark(c *canvas, kind rowKind, fields []field) {
	c.extend(markMargin)
	top := c.extend(markPadding)
	a.fields(c, fields)
	bottom := c.extend(markPadding-rowLeading) + markPadding - rowLeading
	c.extend(markMargin)
	if kind == barRow {
		c.invert(top, bottom-top)
		return
	}
	w, h := c.width-2*sideMargin, bottom-top
	c.fill(sideMargin, top, w, ruleWeight)
	c.fill(sideMargin, bottom-ruleWeight, w, ruleWeight)
	c.fill(sideMargin, top, ruleWeight, h)
	c.fill(sideMargin+w-ruleWeight, top, ruleWeight, h)
}
