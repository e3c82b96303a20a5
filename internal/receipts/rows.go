package receipts

// style is a weight and size of the one typeface. Plain and bold have the same width.
type style uint8

const (
	plainStyle style = iota
	boldStyle
	largeStyle // bold, for what must be read at arm's length
	styleCount
)

// metrics are the distances of a medium in its own unit: pixels of a picture, characters of text mode.
type metrics struct {
	width   int             // of the text area
	advance [styleCount]int // width of a character
	gap     int             // least distance between code, name and amount of a bet
	gutter  int             // distance between the two columns
}

// text returns the width of s.
func (m *metrics) text(st style, s string) int { return columns(s) * m.advance[st] }

// capacity returns how many characters fit on a line.
func (m *metrics) capacity(st style) int { return m.width / m.advance[st] }

// rowKind is how a painter draws a row.
type rowKind uint8

const (
	textRow    rowKind = iota // fields on one base line
	pairRow                   // two cells of three fields side by side
	gapRow                    // white space between parts of a section
	ruleRow                   // line between sections
	headingRow                // fields, then a thin line to the right edge: a draw
	barRow                    // white on black across the paper: a void ticket
	frameRow                  // a frame around its text: a copy
	qrRow                     // the QR code
	logoRow                   // the logo
)

// field is a piece of text at a place in its row, in the medium's unit.
type field struct {
	x     int
	style style
	text  string
}

// row is one horizontal strip of the receipt; its fields are rows.fields[from:to].
type row struct {
	kind     rowKind
	from, to int
}

// rows is a laid out receipt. The fields of all rows share one slice, to keep a ticket to few allocations.
type rows struct {
	m      metrics
	list   []row
	fields []field
	broken []string // scratch of lines
}

// lines breaks s to the width of the medium; the result is valid until the next call. An empty text
// has no lines.
func (rs *rows) lines(st style, s string) []string {
	rs.broken = rs.broken[:0]
	if s != "" {
		rs.broken = wrap(rs.broken, s, rs.m.capacity(st))
	}
	return rs.broken
}

// of returns the fields of r.
func (rs *rows) of(r row) []field { return rs.fields[r.from:r.to] }

// add appends a row.
func (rs *rows) add(kind rowKind, fields ...field) {
	from := len(rs.fields)
	rs.fields = append(rs.fields, fields...)
	rs.list = append(rs.list, row{kind: kind, from: from, to: len(rs.fields)})
}

// rule adds the line that ends a section, unless nothing is above it.
func (rs *rows) rule() {
	if len(rs.list) > 0 {
		rs.add(ruleRow)
	}
}

// left adds s from the left edge, on as many rows as it needs.
func (rs *rows) left(st style, s string) {
	for _, line := range rs.lines(st, s) {
		rs.add(textRow, field{0, st, line})
	}
}

// right adds s up to the right edge, on as many rows as it needs.
func (rs *rows) right(st style, s string) {
	for _, line := range rs.lines(st, s) {
		rs.add(textRow, field{rs.m.width - rs.m.text(st, line), st, line})
	}
}

// centre adds s in the middle, on as many rows as it needs.
func (rs *rows) centre(st style, s string) {
	for _, line := range rs.lines(st, s) {
		rs.add(textRow, rs.centred(st, line))
	}
}

// centred returns the field of a line in the middle.
func (rs *rows) centred(st style, line string) field {
	return field{(rs.m.width - rs.m.text(st, line)) / 2, st, line}
}

// pair adds a label at the left and its value at the right: on one row if they fit, else below each other.
func (rs *rows) pair(label field, valueStyle style, value string) {
	w := rs.m.text(valueStyle, value)
	if rs.m.text(label.style, label.text)+rs.m.advance[plainStyle]+w <= rs.m.width {
		rs.add(textRow, label, field{rs.m.width - w, valueStyle, value})
		return
	}
	rs.left(label.style, label.text)
	rs.right(valueStyle, value)
}
