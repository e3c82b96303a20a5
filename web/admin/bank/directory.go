package bank

import (
	"slices"

	"banca/internal/bank"
	"banca/models"
	"banca/web/kit"
)

// directoryPage holds the issuing banks and the meanings of network codes.
type directoryPage struct{ Bank, Code directoryPart }

// directoryPart is a list with the form of one of its rows.
type directoryPart struct {
	Kind  string // bank or code, in keys and addresses
	Rows  kit.Rows
	Form  *kit.Form
	Known bool // the row of the form is one of the list, and is changed
	Wrong bool // the form was refused
}

// Edit asks for a new row, or for the changes of a known one, which a script opens.
func (p directoryPart) Edit(v *kit.View) *kit.Question {
	action, do, id := "add", "word.add", ""
	if p.Known {
		action, do, id = "change", "word.save", "asked"
	}
	return v.Question(v.T("bank.directory."+p.Kind+"."+action), directoryPath+"/"+p.Kind+"s", "", v.T(do)).
		With("action", action).WithForm(p.Form).WithID(id).Opened(p.Wrong)
}

// Remove asks before the row of the form is removed.
func (p directoryPart) Remove(v *kit.View) *kit.Question {
	code := p.Form.Get("code")
	do := v.T("bank.directory."+p.Kind+".remove", code)
	return v.Question(do, directoryPath+"/"+p.Kind+"s", v.T("bank.directory.remove.ask"), do).With("action", "remove").With("code", code).Irreversible(true)
}

// directoryRows bounds both lists; codes have at most four digits.
const directoryRows = 10_000

// loadDirectory returns both lists, with the forms of the bank and of the code that the address names.
func (p *pages) loadDirectory(r *kit.Request) (*directoryPage, error) {
	banks, _, err := p.Bank.Banks(r.Context(), "", directoryRows, 0)
	if err != nil {
		return nil, err
	}
	codes, _, err := p.Bank.NetworkCodes(r.Context(), directoryRows, 0)
	if err != nil {
		return nil, err
	}
	return &directoryPage{Bank: bankPart(r, banks), Code: codePart(r, codes)}, nil
}

func bankPart(r *kit.Request, banks []bank.Bank) directoryPart {
	b := bank.Bank{Code: r.Query("bank"), Status: models.BankActive}
	at := slices.IndexFunc(banks, func(listed bank.Bank) bool { return listed.Code == b.Code })
	if at >= 0 {
		b = banks[at]
	}
	return directoryPart{
		Kind: "bank", Known: at >= 0, Form: bankForm(r, &b, at >= 0),
		Rows: kit.RowsOf([]kit.Column[bank.Bank]{
			kit.WrapColumn("label.bank", func(b *bank.Bank) string { return b.Code + " · " + b.Name }).
				To(func(b *bank.Bank) string { return directoryPath + "?bank=" + b.Code }),
			kit.StateColumn("bank", func(b *bank.Bank) string { return b.Status }),
		}, banks, nil, "bank.directory.banks.empty"),
	}
}

func codePart(r *kit.Request, codes []bank.NetworkCode) directoryPart {
	n := bank.NetworkCode{Code: r.Query("code")}
	at := slices.IndexFunc(codes, func(listed bank.NetworkCode) bool { return listed.Code == n.Code })
	if at >= 0 {
		n = codes[at]
	}
	return directoryPart{
		Kind: "code", Known: at >= 0, Form: codeForm(&n, at >= 0),
		Rows: kit.RowsOf([]kit.Column[bank.NetworkCode]{
			kit.WrapColumn("label.code", func(n *bank.NetworkCode) string { return n.Code + " · " + n.Meaning }).
				To(func(n *bank.NetworkCode) string { return directoryPath + "?code=" + n.Code }),
			kit.StateColumn("code", func(n *bank.NetworkCode) string {
				if n.Approved {
					return "approved"
				}
				return "refused"
			}),
		}, codes, nil, "bank.directory.codes.empty"),
	}
}

// bankForm is the form of a bank; the code of a known one is fixed.
func bankForm(r *kit.Request, b *bank.Bank, known bool) *kit.Form {
	return kit.NewForm(
		kit.DigitsInput("code", "label.code", 4).Required().ReadOnly(known).Into(&b.Code),
		kit.TextInput("name", "label.name", 100).Required().Into(&b.Name),
		kit.ChoiceInput("status", "label.state", r.States("bank", models.BankActive, models.BankRetired)).Into(&b.Status),
	).WithPrefix("b-")
}

// codeForm is the form of a network code; a known one is fixed.
func codeForm(n *bank.NetworkCode, known bool) *kit.Form {
	return kit.NewForm(
		kit.TextInput("code", "label.code", 8).With("pattern=[0-9A-Za-z]{1,8}").Required().ReadOnly(known).Into(&n.Code),
		kit.TextInput("meaning", "label.meaning", 100).Required().Into(&n.Meaning),
	).WithPrefix("c-")
}

// saveBank adds, changes or removes an issuing bank.
func (p *pages) saveBank(r *kit.Request) error {
	var b bank.Bank
	ctx, by, action := r.Context(), r.Caller, r.Form("action")
	form := bankForm(r, &b, action != "add").Take(r)
	err := kit.InvalidForm()
	switch action {
	case "add":
		err = p.Bank.AddBank(ctx, by, b)
	case "change":
		err = p.Bank.UpdateBank(ctx, by, b)
	case "remove":
		err = p.Bank.DeleteBank(ctx, by, b.Code)
	}
	return p.directory.Submit(r, err, "directory."+action, func(page *directoryPage) {
		page.Bank.Known, page.Bank.Form, page.Bank.Wrong = action != "add", form, true
	})
}

// saveCode adds, changes or removes the meaning of a network code.
func (p *pages) saveCode(r *kit.Request) error {
	var n bank.NetworkCode
	ctx, by, action := r.Context(), r.Caller, r.Form("action")
	form := codeForm(&n, action != "add").Take(r)
	err := kit.InvalidForm()
	switch action {
	case "add":
		err = p.Bank.AddNetworkCode(ctx, by, n.Code, n.Meaning)
	case "change":
		err = p.Bank.UpdateNetworkCode(ctx, by, n.Code, n.Meaning)
	case "remove":
		err = p.Bank.DeleteNetworkCode(ctx, by, n.Code)
	}
	return p.directory.Submit(r, err, "directory."+action, func(page *directoryPage) {
		page.Code.Known, page.Code.Form, page.Code.Wrong = action != "add", form, true
	})
}
