package markdown

import (
	"regexp"
	"strconv"
	"strings"
)

// Bounds of Markdown, whose author may be a model.
const (
	maxDepth  = 5     // lists and quotes within each other
	maxReach  = 1_000 // bytes between the marks of bold text, code and links
	listStep  = 2     // spaces that begin a list within a list
	maxLevels = 6     // of headings
	maxCells  = 20    // of a row; further ones are not shown
	narrow    = 2     // columns of a table that fits a phone
)

var (
	fenceForm   = regexp.MustCompile("^ {0,3}```")
	headingForm = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	ruleForm    = regexp.MustCompile(`^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$`)
	itemForm    = regexp.MustCompile(`^( *)([-*+]|\d{1,9}[.)])\s+(.*)$`)
	quoteForm   = regexp.MustCompile(`^ {0,3}> ?`)
	columnForm  = regexp.MustCompile(`^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	figureForm  = regexp.MustCompile(`^\s*\**[-+]?\d[\d.,]*\s?%?\**\s*$`)
)

// Options are how a text is shown.
type Options struct {
	// Own returns the address of a link, and whether it is shown as one; nil shows the texts of links only.
	Own func(target string) (address string, ok bool)
	// Picture returns the address and the size of a picture, and whether it is shown; nil shows descriptions only.
	Picture func(target string) (p Picture, ok bool)
	// Open reports that more text follows.
	Open bool
	// Page shows a text as a page of its own: its headings keep their levels, the ends of its lines are spaces, and the rows of wide tables have
	// the titles of their columns, for a phone.
	Page bool
	// Compare shows changes in tables with arrows and amounts with bars.
	Compare bool
}

// Picture is a picture of a text.
type Picture struct {
	Address       string
	Width, Height int // pixels
}

// Render returns the blocks of a Markdown text as HTML, one element each. Texts are escaped: HTML is shown as it is written, and pictures are
// their descriptions unless the options have them.
func Render(text string, o Options) []string {
	p := &blocks{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), Options: o}
	for len(p.lines) > 0 {
		p.block(0)
	}
	return p.out
}

// blocks is a parser of blocks.
type blocks struct {
	Options

	lines   []string // that are left
	out     []string
	figures *figures // of the table that is written; nil for none
}

// inner is a parser of the lines within a block, which are complete.
func (p *blocks) inner(lines ...string) *blocks {
	o := p.Options
	o.Open = false
	return &blocks{Options: o, lines: lines}
}

func (p *blocks) take() string {
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line
}

func (p *blocks) add(html string) { p.out = append(p.out, html) }

// block reads the next block.
func (p *blocks) block(depth int) {
	line := p.lines[0]
	switch {
	case strings.TrimSpace(line) == "":
		p.take()
	case fenceForm.MatchString(line):
		p.code()
	case headingForm.MatchString(line):
		found := headingForm.FindStringSubmatch(p.take())
		name := p.heading(len(found[1]))
		p.add("<" + name + ">" + p.inline(found[2]) + "</" + name + ">")
	case ruleForm.MatchString(line):
		p.take()
		p.add("<hr>")
	case p.isTable():
		p.table()
	case depth < maxDepth && quoteForm.MatchString(line):
		p.quote(depth)
	case depth < maxDepth && itemForm.MatchString(line):
		p.list(depth)
	default:
		p.paragraph()
	}
}

// heading is the element of a heading.
func (p *blocks) heading(level int) string {
	switch {
	case p.Page:
		return "h" + strconv.Itoa(level)
	case level <= maxLevels/2:
		return "h3"
	default:
		return "h4"
	}
}

func (p *blocks) code() {
	p.take()
	var lines []string
	for len(p.lines) > 0 {
		line := p.take()
		if fenceForm.MatchString(line) {
			break
		}
		lines = append(lines, line)
	}
	p.add("<pre><code>" + escape(strings.Join(lines, "\n")) + "</code></pre>")
}

func (p *blocks) quote(depth int) {
	inner := p.inner()
	for len(p.lines) > 0 && quoteForm.MatchString(p.lines[0]) {
		inner.lines = append(inner.lines, quoteForm.ReplaceAllString(p.take(), ""))
	}
	p.add("<blockquote>" + inner.all(depth+1) + "</blockquote>")
}

// all returns the HTML of all lines.
func (p *blocks) all(depth int) string {
	for len(p.lines) > 0 {
		p.block(depth)
	}
	return strings.Join(p.out, "")
}

// list reads the items of a list; lines that are indented further belong to the item before.
func (p *blocks) list(depth int) {
	first := itemForm.FindStringSubmatch(p.lines[0])
	indent, name := len(first[1]), "ul"
	if first[2][0] >= '0' && first[2][0] <= '9' {
		name = "ol"
	}
	var html strings.Builder
	for len(p.lines) > 0 {
		found := itemForm.FindStringSubmatch(p.lines[0])
		if found == nil || len(found[1]) != indent && len(found[1]) < indent+listStep && len(found[1]) > indent {
			break
		}
		if len(found[1]) < indent || (found[2][0] >= '0' && found[2][0] <= '9') != (name == "ol") || ruleForm.MatchString(p.lines[0]) {
			break
		}
		p.take()
		inner := p.inner(found[3])
		for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], strings.Repeat(" ", indent+listStep)) {
			inner.lines = append(inner.lines, strings.TrimPrefix(p.take(), strings.Repeat(" ", indent+listStep)))
		}
		html.WriteString("<li>" + unwrapped(inner.all(depth+1)) + "</li>")
		for len(p.lines) > 1 && strings.TrimSpace(p.lines[0]) == "" && itemForm.MatchString(p.lines[1]) {
			p.take()
		}
	}
	p.add("<" + name + ">" + html.String() + "</" + name + ">")
}

// unwrapped is the content of an item without the paragraph around its first text.
func unwrapped(html string) string {
	rest, ok := strings.CutPrefix(html, "<p>")
	if !ok {
		return html
	}
	return strings.Replace(rest, "</p>", "", 1)
}

// isTable reports whether a table begins: a row of heads above a row of dashes, which may not have come yet.
func (p *blocks) isTable() bool {
	if !strings.Contains(p.lines[0], "|") {
		return false
	}
	if len(p.lines) > 1 && strings.Contains(p.lines[1], "-") && columnForm.MatchString(p.lines[1]) {
		return true
	}
	begun := len(p.lines) == 1 || len(p.lines) == 2 && strings.Trim(p.lines[1], "|-: ") == ""
	return p.Open && begun && strings.HasPrefix(strings.TrimSpace(p.lines[0]), "|")
}

func (p *blocks) table() {
	heads := cellsOf(p.take())
	var rules []string
	if len(p.lines) > 0 {
		rules = cellsOf(p.take())
	}
	right := make([]bool, len(heads))
	for i := range min(len(rules), len(heads)) {
		right[i] = strings.HasSuffix(rules[i], ":") && !strings.HasPrefix(rules[i], ":")
	}
	var html strings.Builder
	var titles []string
	if p.Page && len(heads) > narrow {
		titles = heads
		html.WriteString(`<div class="table cards"><table><thead>`)
	} else {
		html.WriteString(`<div class="table"><table><thead>`)
	}
	var rows [][]string
	for len(p.lines) > 0 && strings.Contains(p.lines[0], "|") {
		cells := cellsOf(p.take())
		rows = append(rows, cells[:min(len(cells), len(heads))])
	}
	if p.Compare {
		p.figures = figuresOf(heads, rows)
	}
	p.row(&html, "th", heads, right, nil)
	html.WriteString("</thead><tbody>")
	for _, cells := range rows {
		p.row(&html, "td", cells, right, titles)
	}
	html.WriteString("</tbody></table></div>")
	p.add(html.String())
}

// row writes a row. titles are of its columns; nil if it does not show them.
func (p *blocks) row(b *strings.Builder, name string, cells []string, right []bool, titles []string) {
	b.WriteString("<tr>")
	for i, cell := range cells {
		b.WriteString("<" + name)
		if right[i] || name == "td" && figureForm.MatchString(cell) {
			b.WriteString(` class="number` + p.figures.class(i) + `"`)
		}
		if titles == nil {
			inner := p.inline(cell)
			if name == "td" {
				inner = p.figures.cell(i, cells, inner)
			}
			b.WriteString(">" + inner + "</" + name + ">")
			continue
		}
		b.WriteString(` data-title="` + escape(titles[i]) + `"><div>` + p.inline(cell) + "</div></" + name + ">")
	}
	b.WriteString("</tr>")
}

// cellsOf splits a row at marks that are not escaped.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			cell.WriteString(line[i : i+2])
			i++
		case line[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" {
		cells = append(cells, rest)
	}
	return cells[:min(len(cells), maxCells)]
}

// paragraph reads lines up to another block.
func (p *blocks) paragraph() {
	lines := []string{strings.TrimSpace(p.take())}
	for len(p.lines) > 0 {
		line := p.lines[0]
		if strings.TrimSpace(line) == "" || fenceForm.MatchString(line) || headingForm.MatchString(line) || ruleForm.MatchString(line) ||
			quoteForm.MatchString(line) || itemForm.MatchString(line) || p.isTable() {
			break
		}
		lines = append(lines, strings.TrimSpace(p.take()))
	}
	if p.Page { // code and links may go on in the next line
		p.add("<p>" + p.inline(strings.Join(lines, "\n")) + "</p>")
		return
	}
	for i := range lines {
		lines[i] = p.inline(lines[i])
	}
	p.add("<p>" + strings.Join(lines, "<br>") + "</p>")
}
