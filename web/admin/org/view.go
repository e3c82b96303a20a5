package org

import (
	"html/template"
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

// treeMoney reads the figures of the shown entities: one query for all sales, and one for all wallets. It returns their currency, and the
// active ones as links.
func (p *pages) treeMoney(r *kit.Request, top *branch) (*ledger.Currency, []kit.Choice, error) {
	chosen, choices, err := currency.Choose(r, p.Ledger)
	if err != nil || choices == nil {
		return nil, nil, err
	}
	shown := map[uuid.UUID]*branch{}
	top.collect(shown)
	ids := make([]uuid.UUID, 0, len(shown))
	for id, b := range shown {
		b.Money = &nodeMoney{currency: &chosen}
		ids = append(ids, id)
	}
	if r.May(auth.ReportsRead) {
		sold, err := p.Reports.SoldBy(r.Context(), r.Caller, &reports.Filter{Currency: chosen.Code}, ids)
		if err != nil {
			return nil, nil, err
		}
		for id, b := range shown {
			b.Money.sales, b.Money.sold = true, sold[id]
		}
	}
	if r.May(auth.WalletsRead) {
		wallets, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{Entities: ids, Currency: chosen.Code, Kind: models.WalletMain, Limit: len(ids)})
		if err != nil {
			return nil, nil, err
		}
		for i := range wallets {
			shown[wallets[i].EntityID].Money.wallet = &wallets[i]
		}
	}
	return &chosen, choices, nil
}

// collect adds the branch and those shown below it.
func (b *branch) collect(into map[uuid.UUID]*branch) {
	into[b.ID] = b
	for _, child := range b.Shown {
		child.collect(into)
	}
}

// Sold is what the entity sold today, with everything below it; "" for users who read no sales.
func (m *nodeMoney) Sold(v *kit.View) string {
	if !m.sales {
		return ""
	}
	return v.Money(m.sold, m.currency.Digits)
}

// Balance is the balance of the main wallet; "" without one.
func (m *nodeMoney) Balance(v *kit.View) string {
	if m.wallet == nil {
		return ""
	}
	return v.Money(m.wallet.Balance, m.currency.Digits)
}

// Used is the used part of the credit; nil without one.
func (m *nodeMoney) Used(v *kit.View) *kit.Meter {
	if m.wallet == nil || m.wallet.Unlimited {
		return nil
	}
	return v.CreditMeter(m.wallet.Balance, m.wallet.CreditLimit)
}
