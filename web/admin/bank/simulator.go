package bank

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"

	"banca/internal/bank/bankfield"
	"banca/internal/bank/banksim"
	"banca/web/kit"
)

// simulatorPage is the form of the event simulator, and what its run exchanged.
type simulatorPage struct {
	Form   *kit.Form // of the run
	Fields []simulatorField
	Result *banksim.Result
}

// runForm is the form of what is sent where. The token is never filled in: it is the operator's to type.
func (p *pages) runForm(r *kit.Request) *kit.Form {
	targets := p.calls.Targets()
	options := kit.TextOptions(targets...)
	var scenarios []string
	for _, scenario := range banksim.Scenarios() {
		scenarios = append(scenarios, string(scenario))
	}
	phases := []string{string(banksim.PhaseA), string(banksim.PhaseB), string(banksim.PhaseAB)}
	return kit.NewForm(
		kit.ChoiceInput("target", "label.target", options), kit.RadioInput("phase", "label.phase", r.Options("simulator.phase.", phases...)),
		kit.ChoiceInput("scenario", "label.scenario", r.Options("scenario.", scenarios...)),
		kit.TextInput("token", "label.authorization", 200).With("class=mono autocomplete=off spellcheck=false").WithRule("bank.simulator.token", true),
	).Put("target", targets[0]).Put("phase", string(banksim.PhaseAB)).Put("scenario", string(banksim.Plain)).FillFrom(r).Put("token", "")
}

// simulatorField is a field of the bank's calls.
type simulatorField struct {
	Name, Value string
	A, B        bool // the phases that have it
	Wrong       bool // it was refused
}

// simulator shows the form with an example that can be sent as it stands.
func (p *pages) simulator(r *kit.Request) error {
	identity, err := p.Bank.Identity(r.Context(), r.Caller)
	if err != nil {
		return err
	}
	reference, err := rand.Int(rand.Reader, big.NewInt(exampleReferences))
	if err != nil {
		return err
	}
	example := map[string]string{}
	for _, f := range bankfield.All() {
		example[f.Name] = f.Example
	}
	example[bankfield.Reference] = fmt.Sprintf("%012d", reference)
	example[bankfield.Instant] = r.Now().Format("2006-01-02T15:04:05")
	if len(identity.Phones) > 0 {
		example[bankfield.MerchantPhone] = identity.Phones[0]
	}
	return r.Render("simulator", p.newSimulation(r, example))
}

// exampleReferences is how many references an example is chosen from.
const exampleReferences = 1_000_000_000_000

func (p *pages) newSimulation(r *kit.Request, values map[string]string) *simulatorPage {
	page := &simulatorPage{Form: p.runForm(r)}
	for _, f := range bankfield.All() {
		page.Fields = append(page.Fields, simulatorField{
			Name: f.Name, Value: values[f.Name], A: f.Query != bankfield.Absent, B: f.Notification != bankfield.Absent,
		})
	}
	return page
}

// simulate sends the calls of the form, with the typed token, and shows the raw exchange.
func (p *pages) simulate(r *kit.Request) error {
	page, phase := p.newSimulation(r, nil), banksim.Phase(r.Form("phase"))
	sent := banksim.FieldNames(phase)
	values := make(map[string]string, len(sent)) // an empty field is left out
	for i := range page.Fields {
		f := &page.Fields[i]
		if f.Value = r.Form("field." + f.Name); f.Value != "" && slices.Contains(sent, f.Name) {
			values[f.Name] = f.Value
		}
	}
	result, err := p.calls.Run(r.Context(), &banksim.Run{
		Target: r.Form("target"), Phase: phase, Scenario: banksim.Scenario(r.Form("scenario")), Token: r.Form("token"), Fields: values,
	})
	if err == nil {
		page.Result = result
		return r.Render("simulator", page)
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	wrong := kit.RefusedFields(err, "fields.")
	for i := range page.Fields {
		_, page.Fields[i].Wrong = wrong[page.Fields[i].Name]
	}
	return r.Write(status, "simulator", page, text)
}
