package imports

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"banca/internal/platform/apperr"
	"banca/internal/platform/sheet"
	"banca/models"
)

// Columns of a file.
const (
	ColumnCode      = "code"
	ColumnName      = "name"
	ColumnType      = "type"
	ColumnParent    = "parent"
	ColumnPercent   = "percent"
	ColumnCurrency  = "currency"
	ColumnStake     = "stake_limit"
	ColumnLiability = "prize_limit"
	ColumnCredit    = "credit"
	ColumnUser      = "user"
	ColumnPerson    = "user_name"
	ColumnPhone     = "phone"
)

// Columns lists the columns in the order of the template, each with its Spanish heading and further headings. Case,
// accents, spaces and punctuation do not count.
func Columns() [][]string {
	return [][]string{
		{ColumnCode, "código", "cod", "id"},
		{ColumnName, "nombre", "razón social"},
		{ColumnType, "tipo", "nivel", "level"},
		{ColumnParent, "pertenece a", "padre", "superior", "código padre", "parent code"},
		{ColumnPercent, "comisión", "porcentaje", "commission", "comisión %"},
		{ColumnCurrency, "moneda"},
		{ColumnStake, "tope de venta", "tope", "cupo", "limit"},
		{ColumnLiability, "tope de premio", "liability limit"},
		{ColumnCredit, "crédito", "límite de crédito", "credit limit"},
		{ColumnUser, "usuario", "login", "identifier"},
		{ColumnPerson, "nombre del usuario", "responsable", "vendedor"},
		{ColumnPhone, "teléfono", "tel", "celular", "móvil", "telephone"},
	}
}

// typeWords are the words for types of entities in a file.
func typeWords() map[string]string {
	return map[string]string{
		"": models.EntityTicketPoint, "taquilla": models.EntityTicketPoint, "ticketpoint": models.EntityTicketPoint, "punto": models.EntityTicketPoint,
		"grupo": models.EntityGroup, "group": models.EntityGroup, "agencia": models.EntityAgency, "agency": models.EntityAgency,
		"superagencia": models.EntitySuperAgency, "superagency": models.EntitySuperAgency, "supa": models.EntitySuperAgency,
	}
}

// Row is a line of a file. Its cells are texts as in the file, by column.
type Row struct {
	Line  int // in the file, from 1
	Type  string
	Cells map[string]string
}

// File is a parsed file.
type File struct {
	Rows    []Row
	Ignored []string // headings that are no column
}

// Parse reads a CSV file or a workbook. It checks no values. Errors: sheet.ErrUnreadable, sheet.ErrTooManyRows,
// ErrColumns, ErrEmpty.
func Parse(raw []byte) (*File, error) {
	lines, err := sheet.Read(raw)
	if err != nil {
		return nil, err
	}
	first := 0
	for first < len(lines) && len(lines[first]) == 0 {
		first++
	}
	if first == len(lines) {
		return nil, ErrEmpty
	}
	f := &File{}
	columns, err := f.columnsOf(lines[first])
	if err != nil {
		return nil, err
	}
	words, workbook := typeWords(), sheet.IsWorkbook(raw)
	for i, cells := range lines[first+1:] {
		row := Row{Line: first + i + 2, Cells: map[string]string{}}
		for j, cell := range cells {
			if j < len(columns) && columns[j] != "" && cell != "" {
				row.Cells[columns[j]] = cell
			}
		}
		if workbook {
			keepPoints(row.Cells)
		}
		if len(row.Cells) == 0 {
			continue
		}
		row.Type = words[plain(row.Cells[ColumnType])]
		f.Rows = append(f.Rows, row)
	}
	if len(f.Rows) == 0 {
		return nil, ErrEmpty
	}
	return f, nil
}

// columnsOf returns the column of each heading, "" for an ignored one.
func (f *File) columnsOf(headings []string) ([]string, error) {
	known := map[string]string{}
	for _, names := range Columns() {
		for _, name := range names {
			known[plain(name)] = names[0]
		}
	}
	seen := map[string]bool{}
	columns := make([]string, len(headings))
	for i, heading := range headings {
		column, ok := known[plain(heading)]
		switch {
		case !ok && heading != "":
			f.Ignored = append(f.Ignored, heading)
		case ok && seen[column]:
			return nil, ErrColumns.WithDetails(apperr.Detail{Location: column, Message: "the file has this column twice"})
		case ok:
			columns[i], seen[column] = column, true
		}
	}
	for _, needed := range []string{ColumnCode, ColumnName} {
		if !seen[needed] {
			return nil, ErrColumns.WithDetails(apperr.Detail{Location: needed, Message: "is missing"})
		}
	}
	return columns, nil
}

// plain returns the letters and digits of a text in lower case without accents.
func plain(text string) string {
	var b strings.Builder
	for _, c := range norm.NFD.String(strings.ToLower(text)) {
		if (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Mn, c) {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// keepPoints keeps the point of a number of a workbook from being read as one of thousands: 12.125 has more decimals than an amount, and is refused.
func keepPoints(cells map[string]string) {
	for _, column := range []string{ColumnPercent, ColumnStake, ColumnLiability, ColumnCredit} {
		if at := strings.IndexByte(cells[column], '.'); at >= 0 && len(cells[column])-at == len(".000") && !strings.Contains(cells[column], ",") {
			cells[column] += "0"
		}
	}
}

// decimal returns an amount as money.Parse reads it. Of two kinds of separators the last one is the decimal's; one alone
// separates thousands where it makes groups of three digits. A text that is written in no such way is returned as it is,
// for money.Parse to refuse.
func decimal(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, strings.TrimSuffix(strings.TrimPrefix(text, "Bs"), "%"))
	at := strings.LastIndexAny(text, ".,")
	if at < 0 {
		return text
	}
	own, other := text[at:at+1], ","
	if own == "," {
		other = "."
	}
	whole := text[:at]
	switch {
	case !strings.Contains(text, other) && grouped(text, own):
		return strings.ReplaceAll(text, own, "")
	case strings.Contains(whole, own), strings.Contains(whole, other) && !grouped(whole, other):
		return text
	}
	return strings.ReplaceAll(whole, other, "") + "." + text[at+1:]
}

// grouped reports whether separators make groups of three digits: 1.500, but neither 0.500, 1500.125 nor 1.50.0.
func grouped(text, separator string) bool {
	const group = 3
	groups := strings.Split(text, separator)
	first := groups[0]
	return first != "" && first[0] != '0' && len(first) <= group &&
		!slices.ContainsFunc(groups[1:], func(digits string) bool { return len(digits) != group })
}

// phoneOf adds the zero that a spreadsheet removes from a telephone number.
func phoneOf(text string) string {
	const national = 10
	if len(text) == national && text[0] == '4' && strings.Trim(text, "0123456789") == "" {
		return "0" + text
	}
	return text
}

// Example returns lines of a template, one of each type, in the order of Columns.
func Example() [][]string {
	return [][]string{
		{"AG-01", "Agencia La Fortuna", "agencia", "", "15", "VES", "100000", "", "", "", "", "04141110001"},
		{"GR-01", "Grupo Centro", "grupo", "AG-01", "12", "", "", "", "", "", "", ""},
		{"TQ-001", "Taquilla Plaza", "taquilla", "GR-01", "10", "VES", "20000", "", "5000", "plaza", "Luz Marina", "04141110002"},
	}
}
