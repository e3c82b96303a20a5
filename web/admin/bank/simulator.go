package bank

import (
	"cmp"
	"fmt"
	"net/http"

	"banca/internal/bank/bankfield"
	"banca/internal/bank/banksim"
	"banca/web/kit"
)

// simulatorPage has the forms of the event simulator, and what its run exchanged.
type simulatorPage struct {
	Form   *kit.Form // of the run
	Fields *kit.Form // of the calls
	Result *banksim.Result
}

// loadSimulator returns the forms with an example that can be sent as it stands, or with what was typed.
func (p *pages) loadSimulator(r *kit.Request) (*simulatorPage, error) {
	identity, err := p.Bank.Identity(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	var inputs []kit.Input
	example := map[string]string{
		bankfield.Reference: fmt.Sprintf("%012d", r.Now().UnixMilli()%references),
		bankfield.Instant:   r.Now().Format("2006-01-02T15:04:05"),
	}
	if len(identity.Phones) > 0 {
		example[bankfield.MerchantPhone] = identity.Phones[0]
	}
	for _, f := range bankfield.All() {
		value := cmp.Or(example[f.Name], f.Example)
		inputs = append(inputs, kit.TextInput(fieldPrefix+f.Name, "bank.field."+f.Name, 200).WithRule("bank.field.rule."+f.Name, true).
			With("spellcheck=false").At("fields."+f.Name).Into(&value))
	}
	return &simulatorPage{Form: p.runForm(r), Fields: kit.NewForm(inputs...).FillFrom(r)}, nil
}

const (
	fieldPrefix = "field."          // of the parameters of the calls' fields
	references  = 1_000_000_000_000 // of twelve digits
)

// runForm is the form of what is sent where. The token is never filled in: it is the operator's to type.
func (p *pages) runForm(r *kit.Request) *kit.Form {
	targets := p.calls.Targets()
	var scenarios []string
	for _, scenario := range banksim.Scenarios() {
		scenarios = append(scenarios, string(scenario))
	}
	phases := r.Options("simulator.phase.", string(banksim.PhaseA), string(banksim.PhaseB), string(banksim.PhaseAB))
	return kit.NewForm(
		kit.RadioInput("phase", "label.phase", phases), kit.ChoiceInput("scenario", "label.scenario", r.Options("scenario.", scenarios...)),
		kit.TextInput("token", "label.authorization", 200).With("class=mono autocomplete=off spellcheck=false").WithRule("bank.simulator.token", true),
		kit.ChoiceInput("target", "label.target", kit.TextOptions(targets...)),
	).Put("target", targets[0]).Put("phase", string(banksim.PhaseAB)).Put("scenario", string(banksim.Plain)).FillFrom(r).Put("token", "")
}

// simulate sends the calls of the form, with the typed token, and shows the raw exchange.
func (p *pages) simulate(r *kit.Request) error {
	run := &banksim.Run{
		Target: r.Form("target"), Phase: banksim.Phase(r.Form("phase")), Scenario: banksim.Scenario(r.Form("scenario")), Token: r.Form("token"),
		Fields: map[string]string{}, // without those that are empty
	}
	for _, name := range banksim.FieldNames(run.Phase) {
		if typed := r.Form(fieldPrefix + name); typed != "" {
			run.Fields[name] = typed
		}
	}
	result, err := p.calls.Run(r.Context(), run)
	show := func(page *simulatorPage) {
		page.Result = result
		page.Fields.RefuseBy(err, "")
	}
	if err != nil {
		return p.simulator.ShowRefusal(r, err, show)
	}
	return p.simulator.Present(r, http.StatusOK, "", show)
}
