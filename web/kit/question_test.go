package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestQuestionShowsItsFactsFieldsAndButtons(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	q := v.Question("Bloquear", "/block", "Se bloquea "+hostile, "Bloquear ahora").Irreversible(true).WithID("ask").With("element", hostile).Fact("label.amount", Text("15,00 "+hostile))
	page := render(t, v, "question", q)
	assert.Contains(t, page, `<details class="confirm grave" id="ask"><summary>Bloquear…</summary>`)
	assert.Contains(t, page, `<dialog aria-label="Bloquear" open><h2>Bloquear</h2><form method="post" action="/block"><input type="hidden" name="form_token" value="token"><input type="hidden" name="element" value="&#34;&gt;`)
	assert.Contains(t, page, `<dt>Monto</dt><dd>15,00 &#34;&gt;`)
	assert.Contains(t, page, `<button class="grave" type="submit">Bloquear ahora</button><button class="quiet dismiss" type="submit" formmethod="dialog" formnovalidate>Cancelar</button>`, "the button of the action comes before the one that cancels")

	open := render(t, v, "question", v.Question("Eliminar", "/delete", "", "Eliminar").Opened(true).WithForm(NewForm(TextInput("reason", "label.reason", 300).Required()).Put("reason", hostile)))
	assert.Contains(t, open, `<details class="confirm" open>`)
	assert.Contains(t, open, `<input id="reason" name="reason" value="&#34;&gt;`)
	assert.NotContains(t, open, "grave")
}
