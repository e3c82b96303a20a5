package bank

import (
	"banca/internal/bank"
	"banca/models"
	"banca/web/kit"
)

// directoryPage holds the issuing banks and the meanings of network codes, with a form for each.
type directoryPage struct {
	Banks []bank.Bank
	Codes []bank.NetworkCode

	Bank      bank.Bank // in the form
	BankKnown bool      // it is one of the list, and is changed
	Code      bank.NetworkCode
	CodeKnown bool
}

// directoryRows bounds both lists; codes have at most four digits.
const directoryRows = 10_000

// loadDirectory returns both lists, with the forms of the bank and of the code that the address names.
func (p *pages) loadDirectory(r *kit.Request) (*directoryPage, error) {
	page := &directoryPage{Bank: bank.Bank{Code: r.Query("bank"), Status: models.BankActive}, Code: bank.NetworkCode{Code: r.Query("code")}}
	var err error
	if page.Banks, _, err = p.Bank.Banks(r.Context(), "", directoryRows, 0); err != nil {
		return nil, err
	}
	if page.Codes, _, err = p.Bank.NetworkCodes(r.Context(), directoryRows, 0); err != nil {
		return nil, err
	}
	for _, b := range page.Banks {
		if b.Code == page.Bank.Code {
			page.Bank, page.BankKnown = b, true
		}
	}
	for _, n := range page.Codes {
		if n.Code == page.Code.Code {
			page.Code, page.CodeKnown = n, true
		}
	}
	return page, nil
}

// saveBank adds, changes or removes an issuing bank.
func (p *pages) saveBank(r *kit.Request) error {
	b := bank.Bank{Code: r.Text("code"), Name: r.Text("name"), Status: r.Form("status")}
	ctx, by, action := r.Context(), r.Caller, r.Form("action")
	err := kit.InvalidForm()
	switch action {
	case "add":
		err = p.Bank.AddBank(ctx, by, b)
	case "change":
		err = p.Bank.UpdateBank(ctx, by, b)
	case "remove":
		err = p.Bank.DeleteBank(ctx, by, b.Code)
	}
	return p.afterDirectory(r, err, func(page *directoryPage) { page.Bank, page.BankKnown = b, action != "add" })
}

// saveCode adds, changes or removes the meaning of a network code.
func (p *pages) saveCode(r *kit.Request) error {
	n := bank.NetworkCode{Code: r.Text("code"), Meaning: r.Text("meaning")}
	ctx, by, action := r.Context(), r.Caller, r.Form("action")
	err := kit.InvalidForm()
	switch action {
	case "add":
		err = p.Bank.AddNetworkCode(ctx, by, n.Code, n.Meaning)
	case "change":
		err = p.Bank.UpdateNetworkCode(ctx, by, n.Code, n.Meaning)
	case "remove":
		err = p.Bank.DeleteNetworkCode(ctx, by, n.Code)
	}
	return p.afterDirectory(r, err, func(page *directoryPage) { page.Code, page.CodeKnown = n, action != "add" })
}

// afterDirectory answers a form of the directory; a refused form keeps its fields.
func (p *pages) afterDirectory(r *kit.Request, err error, typed func(*directoryPage)) error {
	return p.directory.Submit(r, err, "directory."+r.Form("action"), typed)
}
