package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/apperr"
)

func TestAFormNamesItsRefusedFields(t *testing.T) {
	t.Parallel()
	v := &View{words: map[string]string{"input.money": "An amount.", "field.name": "A name."}}
	form := func() *Form {
		return NewForm(TextInput("name", "name", 40).Says("field.name", false).Needed(), MoneyInput("amount", "amount", 2), PhoneInput("phone", "phone")).As("x-")
	}
	sound := form().Put("name", "a").Put("amount", "1.234,56")
	assert.True(t, sound.Check(), "an empty field that is not needed is sound")
	assert.Empty(t, sound.Summary(v))

	wrong := form().Put("amount", "1,2,3")
	assert.False(t, wrong.Check())
	summary := wrong.Summary(v)
	require.Len(t, summary, 2)
	assert.Equal(t, "x-name", summary[0].ID, "its link leads to the element")
	assert.Equal(t, "A name.", summary[0].Hint)
	assert.Equal(t, "1,2,3", summary[1].Value, "what was typed stays")
	assert.Equal(t, "An amount.", form().Field(v, "amount").Hint, "the rule is shown before the field is refused")
	assert.Empty(t, form().Field(v, "name").Hint)
	assert.Nil(t, form().Field(v, "other"))

	form2 := form()
	err := apperr.New(apperr.Invalid, "TAKEN", "taken").WithDetails(apperr.Detail{Location: "mobile.phone"}, apperr.Detail{Location: "mobile.sum[2]"})
	form2.RefuseBy(err, "mobile.", map[string]string{"TAKEN": "name", "sum": "amount"})
	assert.Len(t, form2.Summary(v), 3)
}
