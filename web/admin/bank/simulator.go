package bank

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"

	"banca/internal/banksim"
	"banca/web/kit"
)

// simulatorPage is the form of the event simulator, and what its run exchanged.
type simulatorPage struct {
	Targets   []string
	Scenarios []banksim.Scenario
	Phases    []banksim.Phase
	Fields    []simulatorField

	Target   string
	Scenario banksim.Scenario
	Phase    banksim.Phase
	Result   *banksim.Result
}

// simulatorField is a field of the bank's calls.
type simulatorField struct {
	Name, Value string
	A, B        bool // the phases that have it
	Wrong       bool // it was refused
}

// simulator shows the form with an example that can be sent as it stands. The token is never filled in: it is the
// operator's to type.
func (p *pages) simulator(r *kit.Request) error {
	identity, err := p.Bank.Identity(r.Context(), r.Caller)
	if err != nil {
		return err
	}
	reference, err := rand.Int(rand.Reader, big.NewInt(exampleReferences))
	if err != nil {
		return err
	}
	example := map[string]string{
		"IdCliente": "V12345678", "Monto": "150.00", "TelefonoEmisor": "04145556677", "BancoEmisor": "0134", "CodigoRed": "00",
		"Concepto": r.T("bank.simulator.concept"), "Referencia": fmt.Sprintf("%012d", reference), "FechaHora": r.Now().Format("2006-01-02T15:04:05"),
	}
	if len(identity.Phones) > 0 {
		example["TelefonoComercio"] = identity.Phones[0]
	}
	page := p.newSimulation(example)
	page.Target, page.Scenario, page.Phase = page.Targets[0], banksim.Plain, banksim.PhaseAB
	return r.Render("simulator", page)
}

// exampleReferences is how many references an example is chosen from.
const exampleReferences = 1_000_000_000_000

func (p *pages) newSimulation(values map[string]string) *simulatorPage {
	page := &simulatorPage{
		Targets: p.Simulator.Targets(), Scenarios: banksim.Scenarios(), Phases: []banksim.Phase{banksim.PhaseA, banksim.PhaseB, banksim.PhaseAB},
	}
	a, b := banksim.FieldNames(banksim.PhaseA), banksim.FieldNames(banksim.PhaseB)
	for _, name := range banksim.FieldNames(banksim.PhaseAB) {
		page.Fields = append(page.Fields, simulatorField{Name: name, Value: values[name], A: slices.Contains(a, name), B: slices.Contains(b, name)})
	}
	return page
}

// simulate sends the calls of the form, with the typed token, and shows the raw exchange.
func (p *pages) simulate(r *kit.Request) error {
	page := p.newSimulation(nil)
	page.Target, page.Scenario, page.Phase = r.Form("target"), banksim.Scenario(r.Form("scenario")), banksim.Phase(r.Form("phase"))
	sent := banksim.FieldNames(page.Phase)
	values := make(map[string]string, len(sent)) // an empty field is left out
	for i := range page.Fields {
		f := &page.Fields[i]
		if f.Value = r.Form("field." + f.Name); f.Value != "" && slices.Contains(sent, f.Name) {
			values[f.Name] = f.Value
		}
	}
	result, err := p.Simulator.Run(r.Context(), &banksim.Run{
		Target: page.Target, Phase: page.Phase, Scenario: page.Scenario, Token: r.Form("token"), Fields: values,
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
		page.Fields[i].Wrong = wrong[page.Fields[i].Name]
	}
	return r.Write(status, "simulator", page, text)
}
