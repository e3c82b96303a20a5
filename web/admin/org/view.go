package org

import (
	"html/template"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// functions are what the templates of the area can call besides the methods of kit.View.
func functions() template.FuncMap {
	return template.FuncMap{"effect": effectOf, "setting": settingText, "hasPrefix": strings.HasPrefix}
}

// effectRows is the effect of a change of rates; nil without violations or changes.
type effectRows struct{ Violations, Changes kit.Rows }

// effectOf is the effect of a change, with bounded lists.
func effectOf(what *org.RateEffect) effectRows {
	const most = 200
	var rows effectRows
	if len(what.Violations) > 0 {
		rows.Violations = kit.RowsOf(violationColumns(), what.Violations[:min(len(what.Violations), most)], nil, "")
	}
	if len(what.Changes) > 0 {
		rows.Changes = kit.RowsOf(changeColumns(), what.Changes[:min(len(what.Changes), most)], nil, "")
	}
	return rows
}

func violationColumns() []kit.Column[org.RateViolation] {
	return append(
		rateColumns(func(r *org.RateViolation) rateOf { return rateOf{r.EntityID, r.Code, r.Kind, r.Category, r.BetType} }),
		kit.PercentColumn("label.sets", func(r *org.RateViolation) money.BasisPoints { return r.Percent }),
		kit.PercentColumn("label.allowed", func(r *org.RateViolation) money.BasisPoints { return r.Allowed }),
	)
}

func changeColumns() []kit.Column[org.RateChange] {
	return append(
		rateColumns(func(r *org.RateChange) rateOf { return rateOf{r.EntityID, r.Code, r.Kind, r.Category, r.BetType} }),
		kit.PercentColumn("label.before", func(r *org.RateChange) money.BasisPoints { return r.Before }),
		kit.PercentColumn("label.after", func(r *org.RateChange) money.BasisPoints { return r.After }),
	)
}

// rateOf is which rate of which entity a row is about.
type rateOf struct {
	entity                  uuid.UUID
	code                    string
	kind, category, betType string
}

func rateColumns[R any](of func(row *R) rateOf) []kit.Column[R] {
	return []kit.Column[R]{
		kit.MonoColumn("label.entity", func(row *R) string { return of(row).code }).
			To(func(row *R) string { return path + "/" + of(row).entity.String() }),
		kit.WordColumn("label.rate", func(v *kit.View, row *R) string { return v.T("rate." + of(row).kind) }),
		anyColumn("label.category", "", func(row *R) string { return of(row).category }),
		anyColumn("label.bet_type", "bet.", func(row *R) string { return of(row).betType }),
	}
}

// anyColumn is a column of categories or bet types, as className writes them.
func anyColumn[R any](title, prefix string, of func(row *R) string) kit.Column[R] {
	return kit.WordColumn(title, func(v *kit.View, row *R) string { return className(v, prefix, of(row)) })
}

// effectiveColumns are the columns of the rates that hold for an entity.
func effectiveColumns() []kit.Column[org.EffectiveRate] {
	return []kit.Column[org.EffectiveRate]{
		anyColumn("label.category", "", func(r *org.EffectiveRate) string { return r.Category }),
		anyColumn("label.bet_type", "bet.", func(r *org.EffectiveRate) string { return r.BetType }),
		kit.PercentColumn("label.percent", func(r *org.EffectiveRate) money.BasisPoints { return r.Rate }),
		{Title: "label.source", Cell: func(v *kit.View, r *org.EffectiveRate) kit.Cell {
			if r.From == nil {
				return kit.Text(v.T("org.nobody"))
			}
			return v.Part("from", r.From)
		}},
	}
}

// settingText writes a value of a setting on one line.
func settingText(v *kit.View, text string) string {
	switch text {
	case "true":
		return v.T("word.yes")
	case "false":
		return v.T("word.no")
	default:
		return strings.ReplaceAll(text, "\n", " / ")
	}
}

// nodeMoney is the money of an entity in the tree. Each part has what the user may read.
type nodeMoney struct {
	currency *ledger.Currency
	sales    bool
	sold     money.Amount   // today, with everything below
	wallet   *ledger.Wallet // nil for none
}

// nodesMoney reads the figures of entities: one query for all sales, and one for all wallets. It returns them, and the active currencies as
// links; nil without one.
func (p *pages) nodesMoney(r *kit.Request, ids []uuid.UUID) (map[uuid.UUID]*nodeMoney, []kit.Choice, error) {
	chosen, choices, err := currency.Choose(r, p.Ledger)
	if err != nil || choices == nil || len(ids) == 0 {
		return nil, nil, err
	}
	nodes := make(map[uuid.UUID]*nodeMoney, len(ids))
	for _, id := range ids {
		nodes[id] = &nodeMoney{currency: &chosen}
	}
	if r.May(auth.ReportsRead) {
		sold, err := p.Reports.SoldBy(r.Context(), r.Caller, &reports.Filter{Currency: chosen.Code}, ids)
		if err != nil {
			return nil, nil, err
		}
		for id, n := range nodes {
			n.sales, n.sold = true, sold[id]
		}
	}
	if r.May(auth.WalletsRead) {
		wallets, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{Entities: ids, Currency: chosen.Code, Kind: models.WalletMain, Limit: len(ids)})
		if err != nil {
			return nil, nil, err
		}
		for i := range wallets {
			nodes[wallets[i].EntityID].wallet = &wallets[i]
		}
	}
	return nodes, choices, nil
}

// ids are those of the branch and of the branches shown below it.
func (b *branch) ids() []uuid.UUID {
	list := []uuid.UUID{b.ID}
	for _, child := range b.Shown {
		list = append(list, child.ids()...)
	}
	return list
}

// fill sets the figures of the branch and of the branches shown below it.
func (b *branch) fill(of map[uuid.UUID]*nodeMoney) {
	b.Money = of[b.ID]
	for _, child := range b.Shown {
		child.fill(of)
	}
}

// figureColumns are the columns of the figures that some of the entities have.
func figureColumns(rows []foundEntity) []kit.Column[foundEntity] {
	columns := []kit.Column[foundEntity]{
		kit.WordColumn("org.tree.sold.today", func(v *kit.View, e *foundEntity) string { return e.Money.Sold(v) }).Numeric().TableOnly(),
		kit.WordColumn("wallet.balance", func(v *kit.View, e *foundEntity) string { return e.Money.Balance(v) }).Numeric().TableOnly(),
		{Title: "wallet.used", Cell: func(v *kit.View, e *foundEntity) kit.Cell { return v.MeterCell(e.Money.Used(v)) }},
	}
	has := func(of func(m *nodeMoney) bool) bool {
		return slices.ContainsFunc(rows, func(e foundEntity) bool { return e.Money != nil && of(e.Money) })
	}
	if !has(func(m *nodeMoney) bool { return m.wallet != nil && !m.wallet.Unlimited && m.wallet.CreditLimit > 0 }) {
		columns = columns[:2]
	}
	if !has(func(m *nodeMoney) bool { return m.wallet != nil }) {
		columns = columns[:1]
	}
	if !has(func(m *nodeMoney) bool { return m.sales }) {
		columns = columns[1:]
	}
	return columns
}

// amount is what the entity sold today; 0 if it was not read.
func (m *nodeMoney) amount() money.Amount {
	if m == nil {
		return 0
	}
	return m.sold
}

// Sold is what the entity sold today, with everything below it; "" for users who read no sales.
func (m *nodeMoney) Sold(v *kit.View) string {
	if m == nil || !m.sales {
		return ""
	}
	return v.Money(m.sold, m.currency.Digits)
}

// Balance is the balance of the main wallet; "" without one.
func (m *nodeMoney) Balance(v *kit.View) string {
	if m == nil || m.wallet == nil {
		return ""
	}
	return v.Money(m.wallet.Balance, m.currency.Digits)
}

// Used is the used part of the credit; nil without one.
func (m *nodeMoney) Used(v *kit.View) *kit.Meter {
	if m == nil || m.wallet == nil || m.wallet.Unlimited {
		return nil
	}
	return v.CreditMeter(m.wallet.Balance, m.wallet.CreditLimit)
}
