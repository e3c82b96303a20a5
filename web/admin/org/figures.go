package org

import (
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

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

// Balance is that of the main wallet; "" without one.
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
