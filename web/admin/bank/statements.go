package bank

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"banca/internal/bank"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/web/kit"
)

func (p *pages) statementRows(r *kit.Request, w kit.Window) ([]bank.Statement, int64, error) {
	return p.Bank.Statements(r.Context(), r.Caller, w.Limit, w.Offset)
}

// importPage is the form of a statement above the list.
type importPage struct{ Form *kit.Form }

func importPageOf(*kit.Request, []bank.Statement) (*importPage, error) {
	return &importPage{Form: kit.NewForm(kit.FileInput("label.file", ".csv,text/csv,text/plain").Required())}, nil
}

func statementAddress(s *bank.Statement) string { return statementsPath + "/" + s.ID.String() }

func statementColumns() []kit.Column[bank.Statement] {
	return []kit.Column[bank.Statement]{
		kit.TimeColumn("label.imported", func(s *bank.Statement) time.Time { return s.CreatedAt }),
		kit.DayColumn("label.from", func(s *bank.Statement) businessday.Day { return s.From }),
		kit.DayColumn("label.to", func(s *bank.Statement) businessday.Day { return s.To }),
		kit.CountColumn("label.lines", func(s *bank.Statement) int { return s.Lines }),
		kit.CountColumn("label.matched", func(s *bank.Statement) int64 { return s.Matched }),
		kit.CountColumn("label.missing_here", func(s *bank.Statement) int64 { return s.MissingHere }),
		kit.CountColumn("label.missing_there", func(s *bank.Statement) int64 { return s.MissingBank }),
	}
}

func (p *pages) importStatement(r *kit.Request) error {
	list := p.statements.AsPage()
	_, raw, err := r.File()
	if err != nil {
		return list.Present(r, http.StatusBadRequest, r.T("error.file"))
	}
	statement, err := p.Bank.ImportStatement(r.Context(), r.Caller, raw)
	if err == nil {
		return r.Done(statementsPath+"/"+statement.ID.String(), "imported")
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return list.Present(r, status, text+wrongLine(r, err))
}

// wrongLine names the line that could not be imported, where the error names one.
func wrongLine(r *kit.Request, err error) string {
	for _, d := range apperr.From(err).Details {
		if number, ok := strings.CutPrefix(d.Location, "line "); ok {
			return " " + fmt.Sprintf(r.T("error.line"), number)
		}
	}
	return ""
}

// statementPage is a statement with what only one side has.
type statementPage struct {
	*bank.Comparison

	Here, There kit.Rows
}

// Tiles are the sums of the statement. What only one side has leads to its rows.
func (p *statementPage) Tiles(v *kit.View) []*kit.Stat {
	tile := func(n int64, sum money.Amount, label, rows string) *kit.Stat {
		s := v.Stat(sum, bank.AmountDigits, v.T(label)).WithUnit(p.Currency.Unit()).WithHint(v.N("bank.statement.count", n))
		if n > 0 {
			s.To(rows)
		}
		return s
	}
	lines := tile(int64(p.Lines), p.Sums.Lines, "label.lines", "")
	if p.Skipped > 0 {
		lines.WithHint(lines.Hint + " · " + v.T("bank.statement.skipped", p.Skipped))
	}
	return []*kit.Stat{
		lines, tile(p.Matched, p.Sums.Matched, "label.matched", ""), tile(p.MissingHere, p.Sums.MissingHere, "label.missing_here", "#here"),
		tile(p.MissingBank, p.Sums.MissingBank, "label.missing_there", "#there"),
	}
}

// shownDifferences bounds each list; the API pages through the rest.
const shownDifferences = 200

func (p *pages) loadStatement(r *kit.Request) (*statementPage, error) {
	sides, err := p.Bank.Compare(r.Context(), r.Caller, r.ID, shownDifferences)
	if err != nil {
		return nil, err
	}
	line := kit.CountColumn("label.line", func(d *bank.Difference) int { return d.LineNo })
	state := kit.StateColumn("payment", func(d *bank.Difference) string { return d.State })
	payment := func(d *bank.Difference) string { return paymentsPath + "/" + d.PaymentID.String() }
	search := func(d *bank.Difference) string { return eventsPath + "?reference=" + url.QueryEscape(d.Reference) }
	return &statementPage{
		Comparison: sides,
		Here:       kit.RowsOf(append(differenceColumns(), line), sides.Here, search, "bank.statement.here.none"),
		There:      kit.RowsOf(append(differenceColumns(), state), sides.There, payment, "bank.statement.there.none"),
	}, nil
}

func differenceColumns() []kit.Column[bank.Difference] {
	return []kit.Column[bank.Difference]{
		kit.DayColumn("label.date", func(d *bank.Difference) businessday.Day { return d.Date }),
		kit.AmountColumn("label.amount", func(d *bank.Difference) (money.Amount, int) { return d.Amount, bank.AmountDigits }),
		kit.MonoColumn("label.reference", func(d *bank.Difference) string { return d.Reference }),
		kit.TextColumn("label.bank", func(d *bank.Difference) string { return d.BankName }),
	}
}
