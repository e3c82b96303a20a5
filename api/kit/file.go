package kit

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
)

// FileParams is embedded in the input of an operation that HandleFile registers.
type FileParams struct {
	Format string `query:"format" enum:"json,csv,xlsx" default:"json" doc:"csv and xlsx return all rows (at most 100,000) and ignore cursor and page"`
}

func (p *FileParams) wanted() (sheet.Format, bool) { return sheet.FormatOf(p.Format) }

// fileInput is an input that embeds FileParams.
type fileInput interface{ wanted() (sheet.Format, bool) }

// Answer is an answer with a JSON body: Data, List or CursorList.
type Answer interface{ body() any }

func (d *Data[T]) body() any       { return &d.Body }
func (l *List[T]) body() any       { return &l.Body }
func (l *CursorList[T]) body() any { return &l.Body }

// jsonOrFile is the answer of an operation that HandleFile registers.
type jsonOrFile struct {
	Disposition string `header:"Content-Disposition"`
	Body        func(huma.Context)
}

// HandleFile registers an operation of users that answers JSON, or all rows as a CSV or XLSX file, as its parameter
// format says. The input I embeds FileParams, and O is a Data, List or CursorList. Times in files are of the business
// zone, texts and numbers in the language of the request. The document describes errs and sheet.ErrTooLarge.
func HandleFile[I, O any, PI interface {
	*I
	fileInput
}, PO interface {
	*O
	Answer
}](r *Registry, op huma.Operation, access Access, asJSON func(context.Context, caller.Caller, *I) (*O, error),
	asTable func(context.Context, caller.Caller, *I) (*sheet.Table, error), errs ...*apperr.Error,
) {
	op.Responses = r.fileResponses(PO(new(O)))
	Handle(r, op, access, func(ctx context.Context, by caller.Caller, in *I) (*jsonOrFile, error) {
		format, wanted := PI(in).wanted()
		if !wanted {
			out, err := asJSON(ctx, by, in)
			if err != nil {
				return nil, err
			}
			return r.jsonOf(PO(out)), nil
		}
		table, err := asTable(ctx, by, in)
		if err != nil {
			return nil, err
		}
		table.MadeBy, table.MadeAt = by.Name, r.Clock.Now()
		return r.fileOf(ctx, table, format)
	}, append(slices.Clip(errs), sheet.ErrTooLarge)...)
}

// jsonOf returns the answer with a body as JSON.
func (r *Registry) jsonOf(answer Answer) *jsonOrFile {
	return &jsonOrFile{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", JSONType)
		ctx.SetStatus(http.StatusOK)
		_ = r.jsonFormat().Marshal(ctx.BodyWriter(), answer.body()) // an error means that the client has disconnected
	}}
}

// fileOf returns the answer with a complete file.
func (r *Registry) fileOf(ctx context.Context, table *sheet.Table, format sheet.Format) (*jsonOrFile, error) {
	file, err := sheet.Create(table, format, sheet.Locale{Language: middleware.Language(ctx), Zone: r.Zone})
	if err != nil {
		return nil, err
	}
	return &jsonOrFile{Disposition: file.Disposition(), Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		ctx.SetHeader("Content-Type", file.ContentType)
		ctx.SetHeader("Content-Length", strconv.FormatInt(file.Size(), 10))
		ctx.SetStatus(http.StatusOK)
		_, _ = file.WriteTo(ctx.BodyWriter())
	}}, nil
}

// fileResponses describes the answer in its formats.
func (r *Registry) fileResponses(answer Answer) map[string]*huma.Response {
	body := r.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(answer.body()), true, "")
	text, binary := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeString, Format: "binary"}
	return ContentResponses(
		"The rows", map[string]*huma.Schema{JSONType: body, "text/csv": text, sheet.XLSXType: binary},
	)
}

// FileTable returns the table of a file whose title and heads are texts of the catalogue in the language of the request.
// qualifier follows the name of the file, such as a currency; "" for none.
func FileTable(ctx context.Context, name, qualifier string, heads ...string) *sheet.Table {
	table := &sheet.Table{Name: name, Title: FileText(ctx, "title."+name), Columns: make([]sheet.Column, len(heads))}
	if qualifier != "" {
		table.Name += "-" + qualifier
	}
	for i, head := range heads {
		table.Columns[i] = sheet.Column{Title: FileText(ctx, head), Unit: head == "currency"}
	}
	return table
}

// SumTable is FileTable of rows that have nothing in common, so that columns of amounts and counts have totals.
func SumTable(ctx context.Context, name, qualifier string, heads ...string) *sheet.Table {
	table := FileTable(ctx, name, qualifier, heads...)
	for i, head := range heads {
		table.Columns[i].Sum = slices.Contains([]string{
			"lines", "tickets", "voided_tickets", "sold", "voided", "refunded", "net_sales", "stake", "prizes", "prizes_won", "prize", "commission",
			"commission_ticket_point", "commission_group", "commission_agency", "commission_super_agency", "commissions", "game_result", "net_balance",
			"participation", "net_after", "kept", "amount",
		}, head)
	}
	return table
}

// FileText returns a text of files in the language of the request.
func FileText(ctx context.Context, key string) string {
	return problem.Text(middleware.Language(ctx), "file."+key, nil)
}

// HeadLines are the lines of a file with the entity, the period and the currency of its rows; those without a value are left out.
func HeadLines(ctx context.Context, entity string, from, to businessday.Day, currency string) []sheet.Line {
	period := ""
	if !from.IsZero() || !to.IsZero() {
		layout := sheet.Locale{Language: middleware.Language(ctx)}.DayLayout()
		period = from.Format(layout) + " – " + to.Format(layout)
	}
	return []sheet.Line{
		{Label: FileText(ctx, "entity"), Value: entity}, {Label: FileText(ctx, "period"), Value: period}, {Label: FileText(ctx, "currency"), Value: currency},
	}
}
