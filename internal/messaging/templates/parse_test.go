package templates

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
)

func TestBuiltInTextsAreValid(t *testing.T) {
	t.Parallel()
	for _, p := range Purposes() {
		for _, l := range Languages() {
			text, wrong := check(p, l, Builtin(p, l))
			require.Empty(t, wrong, "%s %s", p, l)
			filled := text.fill(samples(p, l))
			require.NotEmpty(t, filled)
			require.NotContains(t, filled, "{")
			require.LessOrEqual(t, text.longest(), p.Limit())
			seen := map[string]bool{}
			for _, f := range p.Fields() {
				require.False(t, seen[f.Name(l)], "%s %s has two placeholders %s", p, l, f.Name(l))
				seen[f.Name(l)] = true
				require.Equal(t, f.Sample(l), f.clean(f.Sample(l)), "%s %s %s", p, l, f.Key)
			}
		}
	}
	require.Empty(t, Purpose("x").Fields())
}

func TestProblemsOfTextsAreNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		codes []string
	}{
		"good":              {"Ticket {serial}", nil},
		"another case":      {"Ticket { SERIAL }", nil},
		"braces":            {"{{no}} {serial}", nil},
		"empty":             {" \n ", []string{"TEMPLATE_EMPTY"}},
		"missing":           {"Ticket", []string{"TEMPLATE_MISSING"}},
		"escaped":           {"{{serial}}", []string{"TEMPLATE_MISSING"}},
		"unknown":           {"{serial} {clave}", []string{"TEMPLATE_UNKNOWN"}},
		"in English":        {"{serial} {customer}", []string{"TEMPLATE_UNKNOWN"}},
		"open":              {"{serial", []string{"TEMPLATE_BRACE"}},
		"nested":            {"{{{serial}", nil}, // a brace and a placeholder
		"in a name":         {"{ser{serial}ial}", []string{"TEMPLATE_BRACE"}},
		"closed":            {"{serial} }", []string{"TEMPLATE_BRACE"}},
		"over lines":        {"{ser\nial}", []string{"TEMPLATE_BRACE"}},
		"empty name":        {"{serial} {}", []string{"TEMPLATE_UNKNOWN"}},
		"long":              {"{serial}" + strings.Repeat("x", maxBody), []string{"TEMPLATE_TOO_LONG"}},
		"long when filled":  {"{serial}" + strings.Repeat("{saludo}", 6), []string{"TEMPLATE_LONGEST"}},
		"control character": {"{serial}\x00", []string{"TEMPLATE_CHARACTERS"}},
		"direction":         {"{serial}\u202e", []string{"TEMPLATE_CHARACTERS"}},
		"bad encoding":      {"{serial}\xff", []string{"TEMPLATE_CHARACTERS"}},
	} {
		_, wrong := check(Receipt, Spanish, c.body)
		var codes []string
		for _, d := range wrong {
			codes = append(codes, d.Code)
			assert.Equal(t, "body", d.Location)
		}
		assert.Equal(t, c.codes, codes, name)
	}
	_, wrong := check(Receipt, Spanish, "¡Ñ! {clave} {serial}")
	assert.Equal(t, "5", wrong[0].Args["at"], "counted in characters")
}

func TestProvidersTemplatesAreChecked(t *testing.T) {
	t.Parallel()
	good := Provider{Name: "receipt_1", Language: "es_VE", Values: []string{FieldSerial, FieldTotal}, Button: FieldSerial}
	assert.Empty(t, good.check(Receipt))
	assert.Empty(t, (&Provider{}).check(Receipt))
	for name, change := range map[string]func(*Provider){
		"name":         func(p *Provider) { p.Name = "Receipt" },
		"no name":      func(p *Provider) { p.Name = "" },
		"language":     func(p *Provider) { p.Language = "es-ve;" },
		"value":        func(p *Provider) { p.Values = []string{"password"} },
		"many values":  func(p *Provider) { p.Values = make([]string, 21) },
		"button":       func(p *Provider) { p.Button = "password" },
		"only a value": func(p *Provider) { *p = Provider{Values: []string{FieldSerial}} },
	} {
		bad := good
		change(&bad)
		assert.NotEmpty(t, bad.check(Receipt), name)
	}
}

func TestLinesOfEmptyPlaceholdersAreLeftOut(t *testing.T) {
	t.Parallel()
	text, wrong := check(Receipt, Spanish, "{saludo}\n\nTicket {serial}\n{pago_movil}\n{firma} {cliente}\n\n\nfin")
	require.Empty(t, wrong)
	assert.Equal(t, "Ticket 7\n\nfin", text.fill(Values{FieldSerial: "7"}))
	assert.Equal(t, "Hola\n\nTicket 7\nBanco\n0134\n Ana\n\nfin", text.fill(Values{FieldSerial: "7", FieldGreeting: "Hola", FieldPayment: "Banco\n0134", FieldCustomer: "Ana"}))
}

// A value that a person typed is inserted as words: it is no placeholder, has no markup, and stays on its line.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	text, wrong := check(Receipt, Spanish, "Hola {cliente}, ticket {serial}")
	require.Empty(t, wrong)
	for value, want := range map[string]string{
		"{serial}":                  "{serial}",
		"{{serial}}":                "{{serial}}",
		"{{1}}":                     "{{1}}",
		"*Ana* _M_ ~x~ `y`":         "Ana M x y",
		"> cita\n\nGANÓ 1.000.000":  "cita GANÓ 1.000.000",
		"Ana\r\nTicket 999":         "Ana Ticket 999",
		"A\u202en\u200ba\x00\x1b[1": "Ana [1",
		"\xff\xfe":                  "",
		"%s %d ${x} <b>":            "%s %d ${x} b",
		strings.Repeat("ñ", 100):    strings.Repeat("ñ", 39) + "…",
	} {
		assert.Equal(t, "Hola "+want+", ticket 7K", text.fill(Values{FieldCustomer: value, FieldSerial: "7K"}), "%q", value)
	}
}

func FuzzText(f *testing.F) {
	for _, body := range []string{"{serial}", "{{{serial}}}", "{", "}", "{}", "{serial}\n{cliente}", "{{serial}} {serial} {saludo}\n\n\n{firma}"} {
		f.Add(body, "Ana {serial} *x*")
	}
	f.Fuzz(func(t *testing.T, body, value string) {
		for _, p := range Purposes() {
			text, wrong := check(p, Spanish, body)
			if len(wrong) > 0 {
				for _, d := range wrong {
					require.NotEmpty(t, d.Code)
				}
				continue
			}
			values, plain := Values{}, Values{}
			for _, field := range p.Fields() {
				values[field.Key], plain[field.Key] = value, "x"
			}
			filled := text.fill(values)
			require.LessOrEqual(t, utf8.RuneCountInString(filled), text.longest())
			require.LessOrEqual(t, utf8.RuneCountInString(filled), p.Limit())
			require.True(t, models.Storable(filled), "%q", filled)
			braces := strings.Count(text.fill(plain), "{")
			cleaned := 0
			for _, part := range text.parts {
				if part.field != nil {
					cleaned += strings.Count(part.field.clean(value), "{")
				}
			}
			require.Equal(t, braces+cleaned, strings.Count(filled, "{"), "a value is inserted once")
		}
	})
}
