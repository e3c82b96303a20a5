package org

import (
	"banca/internal/weekly"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

// maxSettlements bounds the settlements of one week that the page of an entity shows: one in each currency.
const maxSettlements = 5

// loadSettlements adds the newest weekly settlement in each currency. The operator has none.
func (p *pages) loadSettlements(r *kit.Request, m *entityMoney) error {
	if m.entity.Type == models.EntityOperator {
		return nil
	}
	list, _, err := p.Weekly.List(r.Context(), r.Caller, &weekly.Filter{EntityID: m.entity.ID, Limit: maxSettlements})
	if err != nil {
		return err
	}
	for i := range list {
		if s := &list[i]; s.Week == list[0].Week {
			m.facts = append(m.facts, func(v *kit.View) kit.Fact {
				return kit.Fact{Name: v.T("org.money.settlement"), Value: settlementCell(v, s)}
			})
		}
	}
	return nil
}

// settlementCell says what is left to pay.
func settlementCell(v *kit.View, s *weekly.Settlement) kit.Cell {
	left := s.Outstanding()
	text := "org.money.settlement.owes"
	if left < 0 {
		text = "org.money.settlement.owed"
	}
	amount := v.Money(max(left, -left), s.Currency.Digits) + " " + s.Currency.Unit()
	return kit.Text(v.T(text, v.Day(s.Week), amount, v.T("state.settlement."+s.Status))).To(links.Weekly + "/" + s.ID.String())
}
