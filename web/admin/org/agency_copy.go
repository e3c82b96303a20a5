package org

import (
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// copyAgency fills the form in with the parent, the general commissions and the credit of the agency that the address
// names, as far as the user sees them.
func (p *pages) copyAgency(r *kit.Request, page *agencyPage) error {
	typed := r.Query("copy")
	if typed == "" {
		return nil
	}
	page.Copy.Put("copy", typed)
	ctx, by := r.Context(), r.Caller
	id, err := p.Org.Named(ctx, by, typed)
	if kit.IsNotFound(err) {
		page.Copy.Refuse("copy")
		return nil
	}
	if err != nil {
		return err
	}
	agency, err := p.Org.Entity(ctx, by, id)
	if err != nil {
		return err
	}
	if agency.Type != models.EntityAgency {
		page.Copy.Refuse("copy")
		return nil
	}
	parent, err := p.Org.Entity(ctx, by, agency.ParentID)
	switch {
	case err == nil:
		page.Form.Put("parent", org.TextOf(parent.Name, parent.Code))
	case !kit.IsNotFound(err): // the agency of the user has one out of scope
		return err
	}
	copyRate(r, page.Form, "agency_rate", agency)
	first := &org.EntityFilter{ParentID: id, Type: models.EntityTicketPoint, Sort: "code", Limit: 1}
	points, _, err := p.Org.Entities(ctx, by, first)
	if err != nil || len(points) == 0 {
		return err
	}
	copyRate(r, page.Form, "point_rate", &points[0])
	return p.copyCredit(r, page, &points[0])
}

// copyRate puts the commission that an entity sets for all bets.
func copyRate(r *kit.Request, form *kit.Form, field string, e *org.Entity) {
	for _, rule := range e.Finance.Commissions {
		if rate, err := kit.ReadPercent(rule.Percent); err == nil && rule.Category == "" && rule.BetType == "" {
			form.Put(field, r.Money(money.Amount(rate), 2))
		}
	}
}

// maxCopied bounds the wallets in which copyCredit looks for a credit.
const maxCopied = 10

// copyCredit puts the first credit of a ticket point with its currency.
func (p *pages) copyCredit(r *kit.Request, page *agencyPage, point *org.Entity) error {
	if !page.Money {
		return nil
	}
	of := &ledger.WalletFilter{EntityID: point.ID, Kind: models.WalletMain, Limit: maxCopied}
	wallets, _, err := p.Ledger.Wallets(r.Context(), r.Caller, of)
	if err != nil {
		return err
	}
	for i := range wallets {
		if wallets[i].CreditLimit == 0 {
			continue
		}
		currency, err := p.Ledger.CurrencyByID(r.Context(), wallets[i].CurrencyID)
		if err != nil {
			return err
		}
		page.Form.Put("currency", currency.Code).Put("credit", r.Money(wallets[i].CreditLimit, currency.Digits))
		return nil
	}
	return nil
}
