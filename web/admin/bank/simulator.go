package bank

import (
	"cmp"
	"fmt"
	"net/http"

	"banca/internal/bank"
	"banca/internal/bank/bankfield"
	"banca/internal/bank/banksim"
	"banca/models"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// simulatorPage has the form of the event simulator, and what its run exchanged and booked.
type simulatorPage struct {
	Form   *kit.Form
	Asked  string // run that waits for its confirmation; "" for none
	Result *banksim.Result
	Booked []bank.Payment // of the reference of the run
	Open   []bank.Request // the newest, whose links fill the form
}

// loadSimulator returns the form with an example that can be sent as it stands, with the values of the address, or with the typed values. The operator
// types the token: the form never has it.
func (p *pages) loadSimulator(r *kit.Request) (*simulatorPage, error) {
	identity, err := p.Bank.Identity(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	senders, err := banks.Options(r.Context(), p.Bank, r.Form(fieldPrefix+bankfield.Bank))
	if err != nil {
		return nil, err
	}
	targets := p.calls.Targets()
	phases := r.Options("simulator.phase.", string(banksim.PhaseA), string(banksim.PhaseB), string(banksim.PhaseAB))
	scenarios := kit.OptionsOf(banksim.Scenarios(), func(s banksim.Scenario) (value, text string) { return string(s), r.T("scenario." + string(s)) })
	inputs := []kit.Input{
		kit.RadioInput("phase", "label.phase", phases).WithRule("bank.simulator.phases", true), kit.ChoiceInput("scenario", "label.scenario", scenarios),
		kit.TextInput("token", "label.authorization", 200).With("class=mono autocomplete=off spellcheck=false").WithRule("bank.simulator.token", true),
		kit.ChoiceInput("target", "label.target", kit.TextOptions(targets...)),
	}
	example := map[string]string{
		bankfield.Reference: fmt.Sprintf("%012d", r.Now().UnixMilli()%references), bankfield.Instant: r.Now().Format("2006-01-02T15:04:05"),
		bankfield.Amount: r.View().Money(exampleAmount, bank.AmountDigits),
	}
	if len(identity.Phones) > 0 {
		example[bankfield.MerchantPhone] = identity.Phones[0]
	}
	attributes := map[string]string{bankfield.Amount: "inputmode=decimal", bankfield.Instant: "type=datetime-local step=1"}
	for _, f := range bankfield.All() {
		name, value := fieldPrefix+f.Name, cmp.Or(r.Query(fieldPrefix+f.Name), example[f.Name], f.Example)
		input := kit.TextInput(name, "bank.field."+f.Name, 200).With("spellcheck=false " + attributes[f.Name])
		if f.Name == bankfield.Bank {
			input = kit.ChoiceInput(name, "bank.field."+f.Name, senders)
		}
		inputs = append(inputs, input.At("fields."+f.Name).Into(&value))
	}
	form := kit.NewForm(inputs...).Put("target", targets[0]).Put("phase", string(banksim.PhaseAB)).Put("scenario", string(banksim.Plain))
	open, _, err := p.Bank.Requests(r.Context(), r.Caller, &bank.RequestFilter{Status: models.RequestOpen, Limit: offeredRequests})
	return &simulatorPage{Form: form.FillFrom(r).Put("token", ""), Open: open}, err
}

const (
	fieldPrefix = "field."          // of the parameters of the calls' fields
	references  = 1_000_000_000_000 // of twelve digits

	exampleAmount   = 150_00
	offeredRequests = 3
)

// simulate sends the calls of the form, with the typed token, and shows the raw exchange. A run that notifies asks first; the confirmation holds for
// the values of its question.
func (p *pages) simulate(r *kit.Request) error {
	run := &banksim.Run{
		Target: r.Form("target"), Phase: banksim.Phase(r.Form("phase")), Scenario: banksim.Scenario(r.Form("scenario")), Token: r.Form("token"),
	}
	run.Fields = banksim.Typed(run.Phase, func(name string) string { return r.Form(fieldPrefix + name) })
	if amount, typed := run.Fields[bankfield.Amount]; typed {
		run.Fields[bankfield.Amount] = kit.Decimal(amount)
	}
	if asked := fmt.Sprint(run.Target, run.Phase, run.Scenario, run.Fields); run.Phase != banksim.PhaseA && r.Form("asked") != asked {
		return p.simulator.Present(r, http.StatusOK, "", func(page *simulatorPage) { page.Asked = asked })
	}
	var booked []bank.Payment
	result, err := p.calls.Run(r.Context(), run)
	show := func(page *simulatorPage) {
		page.Result, page.Booked = result, booked
		page.Form.RefuseBy(err, "")
	}
	if err != nil {
		return p.simulator.ShowRefusal(r, err, show)
	}
	booked, err = p.Bank.PaymentsWith(r.Context(), r.Caller, run.Fields[bankfield.Reference])
	if err != nil {
		return err
	}
	return p.simulator.Present(r, http.StatusOK, "", show)
}
