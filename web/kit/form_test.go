package kit

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
)

func TestAFormNamesItsRefusedFields(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"input.money": "An amount.", "field.name": "A name.", "input.required": "Missing."}}
	form := func() *Form {
		return NewForm(TextInput("name", "name", 40).WithRule("field.name", false).Required().At("TAKEN"), MoneyInput("amount", "amount", 2).At("sum"), PhoneInput("phone", "phone")).WithPrefix("x-")
	}
	sound := form().Put("name", "a").Put("amount", "1.234,56")
	assert.True(t, sound.Check(), "an empty field that is not needed is sound")
	assert.Nil(t, sound.Summary(v))

	wrong := form().Put("amount", "1,2,3")
	assert.False(t, wrong.Check())
	summary := wrong.Summary(v)
	require.Len(t, summary.Fields, 2)
	assert.Equal(t, "x-name", summary.Fields[0].ID, "its link leads to the element")
	assert.Equal(t, "Missing.", summary.Fields[0].Reason, "an empty field has no rule to break")
	assert.Equal(t, "1,2,3", summary.Fields[1].Value, "what was typed stays")
	assert.Equal(t, "An amount.", form().Field(v, "amount").Hint, "the rule is shown before the field is refused")
	assert.Empty(t, form().Field(v, "name").Hint)
	assert.Nil(t, form().Field(v, "other"))

	form2 := form()
	err := apperr.New(apperr.Invalid, "TAKEN", "taken").WithDetails(apperr.Detail{Location: "mobile.phone"}, apperr.Detail{Location: "mobile.sum[2]"})
	form2.RefuseBy(err, "mobile.")
	assert.Len(t, form2.Summary(v).Fields, 3)
}

// A field says why a domain refuses it. The rule with its example is shown where the message says only what is expected, and several fields are counted.
func TestARefusedFieldSaysWhy(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	form := NewForm(TextInput("email", "label.email", 40).WithRule("field.email", false), PhoneInput("phone", "label.phone").WithRule("field.phone", false))
	refused := apperr.New(apperr.Invalid, "INVALID", "invalid")
	form.RefuseBy(refused.WithDetails(apperr.Detail{Location: "email", Message: "expected an e-mail address"}), "")
	wrong := form.Summary(v)
	assert.Equal(t, []string{"Corrija 1 campo:", "", "Un correo como ana@ejemplo.com."}, []string{wrong.Title, wrong.Fields[0].Reason, wrong.Fields[0].Hint})
	form.RefuseBy(refused.WithDetails(apperr.Detail{Location: "phone", Message: "taken"}), "")
	wrong = form.Summary(v)
	assert.Equal(t, []string{"Corrija estos 2 campos:", "Ya está en uso.", ""}, []string{wrong.Title, wrong.Fields[1].Reason, wrong.Fields[1].Hint})
}

// A rule that is shown before a field is refused is its error if nothing else is known, and is not repeated.
func TestTheHintOfAFieldIsNotItsError(t *testing.T) {
	t.Parallel()
	v := &View{Language: "es", words: map[string]string{
		"hint": "Como 12,5.", "input.required": "Falta este dato.", "input.invalid": "No es válido.", "input.invalid.typed": "«%s» no es válido.", "code.TAKEN": "Ya existe.",
	}}
	form := func() *Form {
		return NewForm(TextInput("code", "code", 40).WithRule("hint", true).Required().At("TAKEN"), PercentInput("rate", "rate").WithRule("hint", true)).Put("code", "A")
	}
	named := func(location string, message apperr.Message) error {
		return apperr.New(apperr.Conflict, "TAKEN", "taken").WithDetails(apperr.Detail{Location: location, Message: message})
	}
	for name, tt := range map[string]struct {
		refuse func(f *Form)
		field  string
		want   string
	}{
		"empty":      {func(f *Form) { f.Put("code", "").Check() }, "code", "Falta este dato."},
		"no percent": {func(f *Form) { f.Put("rate", "x").Check() }, "rate", "«x» no es válido."},
		"long":       {func(f *Form) { f.Put("rate", strings.Repeat("x", 31)).Check() }, "rate", "No es válido."},
		"marked":     {func(f *Form) { f.Refuse("code") }, "code", "«A» no es válido."},
		"a text":     {func(f *Form) { f.RefuseFor("code", "Otro texto.") }, "code", "Otro texto."},
		"a code":     {func(f *Form) { f.RefuseBy(named("other", ""), "") }, "code", "Ya existe."},
		"a message":  {func(f *Form) { f.RefuseBy(named("code", "taken"), "") }, "code", "Ya está en uso."},
	} {
		f := form()
		tt.refuse(f)
		field := f.Field(v, tt.field)
		assert.True(t, field.Wrong, name)
		assert.Equal(t, "Como 12,5.", field.Hint, name)
		assert.Equal(t, tt.want, field.Reason, name)
		hints := "h-" + tt.field
		if tt.want != "" {
			hints += " " + hints + "-rule"
		}
		assert.Contains(t, string(field.ARIA()), `aria-describedby="`+hints+`" aria-invalid="true"`, name)
	}
	parts, err := template.New("").ParseFS(templateFiles, partFiles)
	require.NoError(t, err)
	f := form()
	f.RefuseFor("code", "Otro texto.")
	var out strings.Builder
	require.NoError(t, parts.ExecuteTemplate(&out, "form", f.View(v)))
	assert.Contains(t, out.String(), `<a href="#code">code</a>: Otro texto. Como 12,5.</li>`)
	assert.Contains(t, out.String(), `<p class="hint wrong" id="h-code">Otro texto.</p><p class="hint" id="h-code-rule">Como 12,5.</p>`)
}

// Every kind of field shows what it holds, and is wired to its hint.
func TestKindsOfFields(t *testing.T) {
	t.Parallel()
	parts, err := template.New("").ParseFS(templateFiles, partFiles)
	require.NoError(t, err)
	v := &View{words: map[string]string{"rule": "A <rule>."}}
	options := []Option{{Value: "1", Text: "One"}, {Value: "2", Text: "Two"}}
	form := NewForm(
		LinesInput("lines", "lines", 3).WithRule("rule", true).Required(), RadioInput("radio", "radio", options), ChecksInput("checks", "checks", options),
		ChoiceInput("choice", "choice", options), ChoiceInput("none", "none", nil), FileInput("file", "image/png").WithRule("rule", false),
		DigitsInput("digits", "digits", 4).Required().ReadOnly(true), NumberInput("number", "number", 5).Placeholder("a \"b\"").WithHintID("h-n").WithRule("rule", true), TextInput("secret", "secret", 72).With("type=password"),
	).WithPrefix("x-").Put("lines", "a\n<b>").Put("radio", "2").Put("checks", "1", "2").Put("choice", "2").Put("digits", "0134")
	form.Refuse("file")
	for name, want := range map[string]string{
		"lines":  `<textarea id="x-lines" name="lines" rows="3" required aria-describedby="h-x-lines">a` + "\n" + `&lt;b&gt;</textarea><p class="hint" id="h-x-lines">A &lt;rule&gt;.</p>`,
		"radio":  `<input type="radio" name="radio" value="1"> One</label><label class="choice"><input type="radio" name="radio" value="2" checked> Two`,
		"checks": `<input type="checkbox" name="checks" value="1" checked> One</label><label class="choice"><input type="checkbox" name="checks" value="2" checked> Two`,
		"choice": `<select id="x-choice" name="choice"><option value="1">One</option><option value="2" selected>Two</option></select>`,
		"none":   `<select id="x-none" name="none"></select>`,
		"file":   `<input id="x-file" name="file" type="file" accept="image/png" aria-describedby="h-x-file" aria-invalid="true"><p class="hint wrong" id="h-x-file">`,
		"digits": `value="0134" inputmode="numeric" pattern="[0-9]{4}" maxlength="4" required readonly>`,
		"number": `maxlength="5" placeholder="a &#34;b&#34;" aria-describedby="h-n">`,
		"secret": `type="password"><button class="quiet scripted" type="button" aria-controls="x-secret" data-show="word.show" data-hide="word.hide">word.show</button>`,
	} {
		var out strings.Builder
		require.NoError(t, parts.ExecuteTemplate(&out, "field", form.Field(v, name)), name)
		assert.Contains(t, out.String(), want)
	}
}
