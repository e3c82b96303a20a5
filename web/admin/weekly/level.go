package weekly

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"banca/internal/platform/money"
	"banca/internal/weekly"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// row is a settlement of a level.
type row struct {
	weekly.Settlement

	level *level
}

// level is the entities directly below one, in a week.
type level struct {
	sums    *weekly.Sums    // nil for rows of several levels
	running *weekly.Running // nil for a week that is drafted
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]row, int64, error) {
	f, ok, err := p.filterOf(r)
	if err != nil || !ok {
		return nil, 0, err
	}
	f.Limit, f.Offset = w.Limit, w.Offset
	list, total, l, err := p.read(r, f)
	return kit.Map(list, func(s *weekly.Settlement) row { return row{*s, l} }), total, r.Warned(err)
}

// read returns the settlements of a filter, the number of all, and their level.
func (p *pages) read(r *kit.Request, f *weekly.Filter) ([]weekly.Settlement, int64, *level, error) {
	l := &level{}
	week, err := p.Weekly.RunningWeek(r.Context(), f.Currency)
	if err != nil {
		return nil, 0, l, err
	}
	if week == f.Week && !week.IsZero() {
		list, total, err := p.readRunning(r, f, l)
		return list, total, l, err
	}
	if f.ParentID != uuid.Nil {
		if l.sums, err = p.Weekly.Sums(r.Context(), r.Caller, f); err != nil {
			return nil, 0, l, err
		}
	}
	list, total, err := p.Weekly.List(r.Context(), r.Caller, f)
	return list, total, l, err
}

// readRunning is read for the running week, which has one level.
func (p *pages) readRunning(r *kit.Request, f *weekly.Filter, l *level) (list []weekly.Settlement, total int64, err error) {
	l.running, err = p.Weekly.Running(r.Context(), r.Caller, f.Currency, cmp.Or(f.ParentID, r.Caller.EntityID))
	if err != nil || l.running == nil {
		return nil, 0, err
	}
	all := l.running.Children
	l.sums = weekly.SumsOf(all)
	from := min(f.Offset, len(all))
	return all[from:min(from+f.Limit, len(all))], int64(len(all)), nil
}

// levelOf returns the level of rows, which is read for an empty page.
func (p *pages) levelOf(r *kit.Request, f *weekly.Filter, rows []row) (*level, error) {
	if len(rows) > 0 {
		return rows[0].level, nil
	}
	f.Limit = 1
	_, _, l, err := p.read(r, f)
	return l, r.Warned(err)
}

// owedCell says who owes an amount.
func owedCell(v *kit.View, owed money.Amount, digits int) kit.Cell {
	return kit.Text(currency.Owed(v, owed, func(a money.Amount) string { return v.Money(a, digits) }))
}

// lessCell is an amount that is taken off, with the sign that the calculation of a settlement has.
func lessCell(v *kit.View, a money.Amount, digits int) kit.Cell {
	return kit.Text(v.Money(-a, digits))
}

// paid reports whether the amount that is left of a row is not its balance.
func paid(rows []row) bool {
	return slices.ContainsFunc(rows, func(s row) bool { return s.Outstanding() != s.Balance() })
}

// totals is the row of the sums of a level, of all its pages.
func totals(v *kit.View, rows []row) []kit.Cell {
	if len(rows) == 0 || rows[0].level.sums == nil {
		return nil
	}
	sums, digits := rows[0].level.sums, rows[0].Currency.Digits
	cells := []kit.Cell{kit.Text(v.T("label.total"))}
	if stateOf(rows) == "" {
		cells = append(cells, kit.None())
	}
	cells = append(cells, kit.Text(v.Money(sums.Sales, digits)))
	for _, a := range []money.Amount{-sums.Prizes, -sums.Commissions, -sums.Participation, sums.BeforePayments(), sums.Previous, -sums.Payments} {
		cells = append(cells, kit.Text(v.Money(a, digits)))
	}
	cells = append(cells, owedCell(v, sums.Balance, digits))
	if paid(rows) {
		cells = append(cells, owedCell(v, sums.Owed-sums.Owing, digits))
	}
	return cells
}
