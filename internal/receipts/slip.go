package receipts

// Slip is a printed list of labelled values, such as a daily close. All texts are ready to print.
type Slip struct {
	Logo     *Logo    // above all; nil for none
	Title    string   // of the entity, shown largest
	Subtitle string   // its tax id
	Header   []string // its address, telephone ...
	Heading  string   // what the slip is, in a black bar
	Sections []Section
	Footer   []string
	Copy     bool     // marks a reprint
	Language Language // of the fixed words; Spanish when empty
}

// Section is a group of rows with a rule above it.
type Section struct {
	Title string // "" for none
	Rows  []SlipRow
}

// SlipRow is a label with its value; a row without a label is a note over the whole width.
type SlipRow struct {
	Label, Value string
	Total        bool // shown large
}

// maxSlipRows bounds the rows of a slip.
const maxSlipRows = 500

func (*Slip) qrText() string   { return "" }
func (s *Slip) picture() *Logo { return s.Logo }

// check returns ErrTooLarge for more rows than a slip has.
func (s *Slip) check() error {
	rows := len(s.Header) + len(s.Footer)
	for i := range s.Sections {
		rows += 1 + len(s.Sections[i].Rows)
	}
	if rows > maxSlipRows {
		return ErrTooLarge
	}
	return nil
}

// layout places the parts of the slip from top to bottom.
func (s *Slip) layout(m metrics) *rows {
	rs := &rows{m: m}
	rs.head(&Document{Logo: s.Logo, Title: s.Title, Subtitle: s.Subtitle, Header: s.Header, Copy: s.Copy}, catalogue(s.Language))
	if heading := clean(s.Heading); heading != "" {
		st := largeStyle
		if columns(heading) > rs.m.capacity(st) {
			st = boldStyle
		}
		for _, line := range rs.lines(st, heading) {
			rs.add(barRow, rs.centred(st, line))
		}
	}
	for i := range s.Sections {
		rs.section(&s.Sections[i])
	}
	if len(s.Footer) > 0 {
		rs.rule()
	}
	for _, line := range s.Footer {
		rs.centre(plainStyle, clean(line))
	}
	return rs
}

func (rs *rows) section(s *Section) {
	rs.rule()
	rs.left(boldStyle, clean(s.Title))
	for i := range s.Rows {
		row := &s.Rows[i]
		label, value := clean(row.Label), clean(row.Value)
		switch {
		case label == "":
			rs.left(plainStyle, value)
		case row.Total:
			rs.large(label, value)
		default:
			rs.pair(field{0, plainStyle, label}, plainStyle, value)
		}
	}
}

// large adds a labelled total, in large letters as far as they fit.
func (rs *rows) large(label, value string) {
	st := largeStyle
	if columns(value) > rs.m.capacity(st) {
		st = boldStyle
	}
	at := field{0, st, label}
	if rs.m.text(st, label+" "+value) > rs.m.width {
		at.style = boldStyle
	}
	rs.pair(at, st, value)
}
