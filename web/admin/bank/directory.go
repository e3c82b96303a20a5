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
	newBank := bank.Bank{Code: r.Query("bank"), Status: models.BankActive}
	newCode := bank.NetworkCode{Code: r.Query("code")}
	return &directoryPage{
		Bank: partOf("bank", bankColumns(), banks, newBank, func(b *bank.Bank) string { return b.Code }, bankForm(r)),
		Code: partOf("code", codeColumns(), codes, newCode, func(n *bank.NetworkCode) string { return n.Code }, codeForm),
	}, nil
}

// partOf returns the list with the form of the row that has the code of row, or of row if the list has none.
func partOf[R any](
	kind string, columns []kit.Column[R], rows []R, row R, code func(*R) string, form func(row *R, known bool) *kit.Form,
) directoryPart {
	at := slices.IndexFunc(rows, func(listed R) bool { return code(&listed) == code(&row) })
	if at >= 0 {
		row = rows[at]
	}
	columns[0] = columns[0].To(func(listed *R) string { return directoryPath + "?" + kind + "=" + code(listed) })
	return directoryPart{Kind: kind, Known: at >= 0, Form: form(&row, at >= 0), Rows: kit.RowsOf(columns, rows, nil, "bank.directory."+kind+"s.empty")}
}

func bankColumns() []kit.Column[bank.Bank] {
	return []kit.Column[bank.Bank]{
		kit.WrapColumn("label.bank", func(b *bank.Bank) string { return b.Code + " · " + b.Name }),
		kit.StateColumn("bank", func(b *bank.Bank) string { return b.Status }),
	}
}

func codeColumns() []kit.Column[bank.NetworkCode] {
	return []kit.Column[bank.NetworkCode]{
		kit.WrapColumn("label.code", func(n *bank.NetworkCode) string { return n.Code + " · " + n.Meaning }),
		kit.StateColumn("code", (*bank.NetworkCode).State),
	}
}

// bankForm is the form of a bank; the code of a known one is fixed.
func bankForm(r *kit.Request) func(b *bank.Bank, known bool) *kit.Form {
	return func(b *bank.Bank, known bool) *kit.Form {
		return kit.NewForm(
			kit.DigitsInput("code", "label.code", 4).Required().ReadOnly(known).Into(&b.Code),
			kit.TextInput("name", "label.name", 100).Required().Into(&b.Name),
			kit.ChoiceInput("status", "label.state", r.States("bank", models.BankActive, models.BankRetired)).Into(&b.Status),
		).WithPrefix("b-")
	}
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
	form := bankForm(r)(&b, r.Form("action") != "add").Take(r)
	return p.saveRow(r, form, func(page *directoryPage) *directoryPart { return &page.Bank }, map[string]func() error{
		"add":    func() error { return p.Bank.AddBank(r.Context(), r.Caller, b) },
		"change": func() error { return p.Bank.UpdateBank(r.Context(), r.Caller, b) },
		"remove": func() error { return p.Bank.DeleteBank(r.Context(), r.Caller, b.Code) },
	})
}

// saveCode adds, changes or removes the meaning of a network code.
func (p *pages) saveCode(r *kit.Request) error {
	var n bank.NetworkCode
	form := codeForm(&n, r.Form("action") != "add").Take(r)
	return p.saveRow(r, form, func(page *directoryPage) *directoryPart { return &page.Code }, map[string]func() error{
		"add":    func() error { return p.Bank.AddNetworkCode(r.Context(), r.Caller, n.Code, n.Meaning) },
		"change": func() error { return p.Bank.UpdateNetworkCode(r.Context(), r.Caller, n.Code, n.Meaning) },
		"remove": func() error { return p.Bank.DeleteNetworkCode(r.Context(), r.Caller, n.Code) },
	})
}

// saveRow does the action of a form, which the part of the page keeps if it is refused.
func (p *pages) saveRow(r *kit.Request, form *kit.Form, of func(*directoryPage) *directoryPart, actions map[string]func() error) error {
	action, err := r.Form("action"), kit.InvalidForm()
	if do := actions[action]; do != nil {
		err = do()
	}
	return p.directory.Submit(r, err, "directory."+action, func(page *directoryPage) {
		part := of(page)
		part.Known, part.Form, part.Wrong = action != "add", form, true
	})
}
