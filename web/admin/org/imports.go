package org

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"banca/internal/setup/imports"
	"banca/web/kit"
)

const importPath = path + "/import"

// shownLines bounds the lines of the tree. Of a larger file it has the lines with problems and their parents.
const shownLines = 2_000

// importPage imports a file: the form, the tree of its dry run, or the outcome.
type importPage struct {
	Form *kit.Form
	Plan *imports.Plan // nil before
	Done bool
	Rows string // the reviewed rows, packed

	shown []imports.Line
}

func (*pages) loadImport(*kit.Request) (*importPage, error) {
	return &importPage{Form: kit.NewForm(kit.FileInput("label.file", ".csv,.xlsx,text/csv").Required())}, nil
}

// submitImport shows what the import of a file would do, or imports the reviewed rows.
func (p *pages) submitImport(r *kit.Request) error {
	if kit.IsDone(r) {
		return p.runImport(r)
	}
	_, raw, err := r.File()
	if err != nil {
		return p.imports.Present(r, http.StatusBadRequest, r.T("error.file"))
	}
	plan, err := p.Imports.Try(r.Context(), r.Caller, raw)
	if err != nil {
		return p.refuseImport(r, err)
	}
	return p.showPlan(r, plan, http.StatusOK, "")
}

// runImport imports the rows that the page holds.
func (p *pages) runImport(r *kit.Request) error {
	packed, err := base64.StdEncoding.DecodeString(r.Form("rows"))
	if err != nil {
		return kit.InvalidForm()
	}
	raw, err := imports.Decode(packed)
	if err != nil {
		return p.refuseImport(r, err)
	}
	plan, err := p.Imports.Run(r.Context(), r.Caller, raw)
	switch {
	case errors.Is(err, imports.ErrRefused): // something changed since the review
		return p.showPlan(r, plan, http.StatusUnprocessableEntity, r.T("code."+imports.ErrRefused.Code))
	case err != nil:
		return p.refuseImport(r, err)
	}
	return p.showPlan(r, plan, http.StatusOK, "")
}

// refuseImport shows the form with an error of the file and the columns that it names.
func (p *pages) refuseImport(r *kit.Request, err error) error {
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	texts := []string{text}
	for _, d := range r.Details(err) {
		texts = append(texts, r.T("import.col."+d.Location)+": "+d.Message+".")
	}
	return p.imports.Present(r, status, strings.Join(texts, " "))
}

func (p *pages) showPlan(r *kit.Request, plan *imports.Plan, status int, problem string) error {
	page, err := p.loadImport(r)
	if err != nil {
		return err
	}
	page.Plan, page.Done, page.shown = plan, !plan.DryRun, shownOf(plan.Lines)
	if plan.DryRun && plan.Wrong == 0 {
		packed, err := plan.Encode()
		if err != nil {
			return err
		}
		page.Rows = base64.StdEncoding.EncodeToString(packed)
	}
	return r.Write(status, "import", page, problem)
}

// shownOf returns all lines, or of many the ones with problems and their parents.
func shownOf(lines []imports.Line) []imports.Line {
	if len(lines) <= shownLines {
		return lines
	}
	var shown, above []imports.Line // above are the parents of the line that are not shown yet
	for i := range lines {
		above = append(above[:min(len(above), lines[i].Depth)], lines[i])
		if lines[i].Action != imports.ActionWrong {
			continue
		}
		for j := range above {
			if above[j].Line != 0 {
				shown = append(shown, above[j])
				above[j].Line = 0
			}
		}
	}
	return shown[:min(len(shown), shownLines)]
}

// Hidden is how many lines the tree leaves out.
func (p *importPage) Hidden() int { return len(p.Plan.Lines) - len(p.shown) }

// Ignored names the headings that are no column.
func (p *importPage) Ignored() string { return strings.Join(p.Plan.Ignored, ", ") }

// Table is the tree of the lines, each with its problems.
func (p *importPage) Table(v *kit.View) (*kit.Table, error) {
	cell := func(title, column string) kit.Column[imports.Line] {
		return kit.TextColumn(title, func(l *imports.Line) string { return l.Cells[column] })
	}
	columns := []kit.Column[imports.Line]{
		{Title: "label.line", Number: true, Cell: func(_ *kit.View, l *imports.Line) kit.Cell { return kit.Text(strconv.Itoa(l.Line)) }},
		{Title: "label.name", Cell: func(_ *kit.View, l *imports.Line) kit.Cell {
			indent := strings.Repeat("\u2003", l.Depth)
			return kit.Wrap(indent + cmp.Or(l.Cells[imports.ColumnName], "—")).WithSecondLine(indent + l.Cells[imports.ColumnCode])
		}},
		kit.WordColumn("label.type", func(v *kit.View, l *imports.Line) string {
			if l.Type == "" {
				return l.Cells[imports.ColumnType]
			}
			return v.T("type." + l.Type)
		}),
		{Title: "import.does", Cell: func(v *kit.View, l *imports.Line) kit.Cell { return lineCell(v, l) }},
		cell("import.col.percent", imports.ColumnPercent).Numeric(),
		cell("import.col.stake_limit", imports.ColumnStake).Numeric(),
		cell("import.col.credit", imports.ColumnCredit).Numeric(),
		cell("import.col.user", imports.ColumnUser), cell("import.col.phone", imports.ColumnPhone),
	}
	return v.BuildTable(kit.RowsOf(columns, p.shown, nil, "org.children.none"))
}

// lineCell says what the import does with a line, and what is wrong with it.
func lineCell(v *kit.View, l *imports.Line) kit.Cell {
	var problems []string
	for _, d := range l.Problems {
		problems = append(problems, v.T("import.col."+d.Location)+": "+v.Message(string(d.Message)))
	}
	cell := kit.Wrap("")
	cell.Badges = []kit.Badge{v.State("import", l.Action)}
	switch {
	case problems != nil:
		return cell.WithSecondLine(strings.Join(problems, " · "))
	case l.User:
		return cell.WithSecondLine(v.T("import.user"))
	default:
		return cell
	}
}

// importTemplate sends a file with all columns and one line of each type.
func (*pages) importTemplate(r *kit.Request) error {
	var columns []kit.Column[[]string]
	for i, names := range imports.Columns() {
		columns = append(columns, kit.TextColumn("import.col."+names[0], func(row *[]string) string { return (*row)[i] }))
	}
	return kit.SendFile(r, "import", columns, kit.OnePage(imports.Example()))
}
