package kit

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
)

// A form of a document changes the values whose meaning changes, and leaves the rest as it is written.
func TestAFormOfADocument(t *testing.T) {
	t.Parallel()
	number := TypedKind(JSONText, func(typed string) (any, string) {
		n, err := strconv.Atoi(typed)
		if err != nil {
			return nil, "no number"
		}
		return n, ""
	})
	const stored = `{"count": 3, "verify": {"policy": "agree", "sources": 2}, "bets": ["a"], "other": {"kept": 1.50}}`
	form := func() *Form {
		f := NewForm(
			TextInput("policy", "policy", 9).As(TextKind("manual"), "verify.policy", "verify"),
			NumberInput("agree", "agree", 2).As(number, "verify.sources").If(func(f *Form) bool { return f.Get("policy") == "agree" }),
			NumberInput("count", "count", 2).As(number, "count"), ChecksInput("bets", "bets", nil).As(ListKind(), "bets"),
			ChecksInput("sign", "sign", nil).As(CheckKind(true), "sign"),
		)
		f.Show(ReadObject([]byte(stored)), f.Inputs)
		return f
	}
	read := func(f *Form) string {
		o := ReadObject([]byte(stored))
		f.Read(o, "rules[0].", f.Inputs)
		return string(o.JSON())
	}
	assert.JSONEq(t, stored, read(form()), "a form that is sent as it was shown")
	assert.JSONEq(t, stored, read(form().Put("count", " 03 ")), "the same number")
	assert.JSONEq(t, `{"count": 4, "verify": {"policy": "manual"}, "sign": true, "other": {"kept": 1.50}}`,
		read(form().Put("count", "4").Put("policy", "manual").Put("bets").Put("sign", "1")))
	assert.JSONEq(t, `{"count": 3, "bets": ["a"], "other": {"kept": 1.50}}`, read(form().Put("policy", "")), "no object without members")

	wrong := form().Put("count", "x")
	read(wrong)
	assert.False(t, wrong.Valid())
	for place, name := range map[string]string{
		"rules[0].verify.sources": "agree", "rules[0].verify.other": "policy", "rules[0].bets[2]": "bets", "rules[1].count": "",
	} {
		assert.Equal(t, name, wrong.NameAt(place), place)
	}
	parts := NewForm(TextInput("name", "name", 9).At("user.name", "user.TAKEN"), TextInput("agency", "agency", 9))
	require.True(t, parts.RefusePart(apperr.New(apperr.Conflict, "TAKEN", "taken"), "user"))
	assert.False(t, parts.RefusePart(apperr.New(apperr.Conflict, "OTHER", "other"), "user"))
	assert.Len(t, parts.Summary(&View{}).Fields, 1)
}
