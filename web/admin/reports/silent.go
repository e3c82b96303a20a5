package reports

import (
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/web/kit"
)

// silentPage has nothing besides its list.
type silentPage struct{}

// silentRow is a ticket point that usually sells and has sold nothing today.
type silentRow struct {
	rollup.SilentPoint

	currency ledger.Currency
}

func (p *pages) silentRows(r *kit.Request, w kit.Window) ([]silentRow, int64, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, 0, err
	}
	currency, err := p.Ledger.AnyCurrency(r.Context(), q.Currency)
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Reports.Silent(r.Context(), r.Caller, &q.Filter, w.Limit, w.Offset)
	rows := make([]silentRow, len(list))
	for i := range list {
		rows[i] = silentRow{list[i], currency}
	}
	return rows, total, err
}

func (p *pages) silentFilter(r *kit.Request) (*kit.Filter, error) {
	q, err := p.ask(r)
	if err != nil {
		return nil, err
	}
	currency, err := p.currencyField(r, q)
	return &kit.Filter{Fields: []kit.FilterField{kit.EntityField("entity", "label.entity"), currency}}, err
}

func silentColumns() []kit.Column[silentRow] {
	return []kit.Column[silentRow]{
		kit.WrapColumn("label.ticket_point", func(row *silentRow) string { return row.Name }),
		kit.AmountColumn("silent.usual", func(row *silentRow) (money.Amount, int) { return row.Usual, row.currency.Digits }),
	}
}
