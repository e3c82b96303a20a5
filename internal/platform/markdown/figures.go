package markdown

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// Words of tables in Spanish and English.
var (
	changeForm = regexp.MustCompile(`(?i)^\W*%\W*$|\b(?:dif|variaci|cambio|change|delta)`)          // the head of a column of changes
	costForm   = regexp.MustCompile(`(?i)premio|anulad|devuel|comisi|prize|void|refund|commission`) // a row whose rise is bad
	totalForm  = regexp.MustCompile(`(?i)^\W*total`)
)

// least is how many amounts of a column can be compared.
const least = 2

// figures says how the columns of a table are shown: changes have an arrow, amounts a bar as long as their part of the greatest one.
type figures struct {
	change  []bool
	spare   []bool    // a change of which a later column has the percent
	most    []float64 // the greatest amount; 0 for a column without bars
	changes bool      // there are changes: bars compare the amounts of a row
}

// figuresOf reads a table. The amounts beside changes are compared with each other in each row; without changes, the first column of amounts has bars.
func figuresOf(heads []string, rows [][]string) *figures {
	f := &figures{change: make([]bool, len(heads)), spare: make([]bool, len(heads)), most: make([]float64, len(heads))}
	last, first := -1, -1
	for i, head := range heads {
		amounts, most := 0, 0.0
		for _, row := range rows {
			if i >= len(row) || strings.TrimSpace(row[i]) == "" {
				continue
			}
			if !figureForm.MatchString(row[i]) {
				amounts = 0
				break
			}
			if amounts++; !totalForm.MatchString(row[0]) {
				most = max(most, amountOf(row[i]))
			}
		}
		switch {
		case i == 0 || amounts < least:
		case changeForm.MatchString(head):
			if f.change[i], f.changes = true, true; last >= 0 {
				f.spare[last] = true
			}
			last = i
		default:
			if f.most[i] = most; first < 0 {
				first = i
			}
		}
	}
	for i := range f.most {
		if i != first && !f.changes {
			f.most[i] = 0
		}
	}
	return f
}

// full is the amount of the widest bar: the greatest amount of the row beside changes, otherwise of the column.
func (f *figures) full(column int, cells []string) (most float64) {
	if !f.changes {
		return f.most[column]
	}
	for i, cell := range cells {
		if f.most[i] > 0 {
			most = max(most, amountOf(cell))
		}
	}
	return most
}

// amountOf reads a figure. Its last mark is the decimal mark, unless three digits follow it.
func amountOf(text string) float64 {
	const group = 3
	text = strings.Trim(text, "*+% ")
	if at := strings.LastIndexAny(text, ".,"); at >= 0 && len(text)-at-1 != group {
		text = strings.NewReplacer(".", "", ",", "").Replace(text[:at]) + "." + text[at+1:]
	} else {
		text = strings.NewReplacer(".", "", ",", "").Replace(text)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return n
}

// class is the class of a cell of a column; "" for none.
func (f *figures) class(column int) string {
	if f != nil && f.spare[column] {
		return " spare"
	}
	return ""
}

// cell returns the HTML of a cell of a row, whose content is inner.
func (f *figures) cell(column int, cells []string, inner string) string {
	name, text := cells[0], cells[column]
	if figureForm.MatchString(text) {
		inner = strings.Replace(inner, "-", "−", 1)
	}
	if f == nil || inner == "" {
		return inner
	}
	n := amountOf(text)
	switch {
	case f.change[column] && n != 0:
		arrow, tone := "▲", "rise"
		if n < 0 {
			arrow = "▼"
		}
		if n < 0 != costForm.MatchString(html.UnescapeString(name)) {
			tone = "fall"
		}
		return `<span class="` + tone + `"><span aria-hidden="true">` + arrow + `</span> ` + inner + `</span>`
	case f.most[column] > 0 && n > 0 && !totalForm.MatchString(name):
		const hundred = 100
		part := n / f.full(column, cells) * hundred
		return inner + `<svg class="part" aria-hidden="true"><rect x="` + percent(hundred-part) + `" width="` + percent(part) + `"/></svg>`
	default:
		return inner
	}
}

func percent(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) + "%" }
