package web

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"

	"github.com/gin-gonic/gin"

	"banca/internal/banksim"
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
func (w *Web) simulator(c *gin.Context) {
	identity, err := w.deps.Bank.Identity(c.Request.Context(), scopeOf(c))
	if err != nil {
		w.stop(c, err)
		return
	}
	reference, err := rand.Int(rand.Reader, big.NewInt(exampleReferences))
	if err != nil {
		w.fail(c, err)
		return
	}
	example := map[string]string{
		"IdCliente": "V12345678", "Monto": "150.00", "TelefonoEmisor": "04145556677", "BancoEmisor": "0134", "CodigoRed": "00",
		"Concepto": w.words[visitOf(c).language]["bank.simulator.concept"], "Referencia": fmt.Sprintf("%012d", reference),
		"FechaHora": w.deps.Clock.Now().In(w.deps.Zone).Format("2006-01-02T15:04:05"),
	}
	if len(identity.Phones) > 0 {
		example["TelefonoComercio"] = identity.Phones[0]
	}
	page := w.simulatorPage(example)
	page.Target, page.Scenario, page.Phase = page.Targets[0], banksim.Plain, banksim.PhaseAB
	w.render(c, "bank-simulator", page)
}

// exampleReferences is how many references an example is chosen from.
const exampleReferences = 1_000_000_000_000

func (w *Web) simulatorPage(values map[string]string) *simulatorPage {
	page := &simulatorPage{
		Targets: w.deps.Simulator.Targets(), Scenarios: banksim.Scenarios(), Phases: []banksim.Phase{banksim.PhaseA, banksim.PhaseB, banksim.PhaseAB},
	}
	a, b := banksim.FieldNames(banksim.PhaseA), banksim.FieldNames(banksim.PhaseB)
	for _, name := range banksim.FieldNames(banksim.PhaseAB) {
		page.Fields = append(page.Fields, simulatorField{Name: name, Value: values[name], A: slices.Contains(a, name), B: slices.Contains(b, name)})
	}
	return page
}

// simulate sends the calls of the form, with the typed token, and shows the raw exchange.
func (w *Web) simulate(c *gin.Context) {
	page := w.simulatorPage(nil)
	page.Target, page.Scenario, page.Phase = c.PostForm("target"), banksim.Scenario(c.PostForm("scenario")), banksim.Phase(c.PostForm("phase"))
	sent := banksim.FieldNames(page.Phase)
	values := make(map[string]string, len(sent)) // an empty field is left out
	for i := range page.Fields {
		f := &page.Fields[i]
		if f.Value = c.PostForm("field." + f.Name); f.Value != "" && slices.Contains(sent, f.Name) {
			values[f.Name] = f.Value
		}
	}
	result, err := w.deps.Simulator.Run(c.Request.Context(), &banksim.Run{
		Target: page.Target, Phase: page.Phase, Scenario: page.Scenario, Token: c.PostForm("token"), Fields: values,
	})
	if err == nil {
		page.Result = result
		w.render(c, "bank-simulator", page)
		return
	}
	w.explain(c, err, func(status int, words string) {
		wrong := wrongFields(err)
		for i := range page.Fields {
			page.Fields[i].Wrong = wrong["fields."+page.Fields[i].Name] != ""
		}
		w.show(c, status, "bank-simulator", &view{Page: page, Problem: words})
	})
}
