package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPickerFindsAnObjectByItsWholeText(t *testing.T) {
	t.Parallel()
	options := []Option{{Value: "a", Text: "El Ávila"}, {Value: "b", Text: "La Fortuna"}, {Value: "c", Text: "Ñandú"}, {Value: "d", Text: "ÑANDÚ"}}
	find := FindByText(options)
	for typed, want := range map[string]string{"El Ávila": "a", " el avila ": "a", "LA FORTUNA": "b", "fortuna": "", "": "", "Ñandú": "", "a": ""} {
		got, ok := find(typed)
		assert.Equal(t, want, got, typed)
		assert.Equal(t, want != "", ok, typed)
	}
	v := spanish(t, time.Time{})
	form := NewForm(PickerInput("entity", "label.entity", find).Suggest(options).Required(), TextInput("name", "label.name", 40)).Put("entity", "avila").Put("name", "x")
	assert.False(t, form.Check(), "a part of a text finds no object")
	form = NewForm(PickerInput("entity", "label.entity", find).Suggest([]Option{{Value: "x", Text: hostile}}).SuggestFrom("/suggest?a=1&b=2"), TextInput("name", "label.name", 40)).Put("entity", "la fortuna").Put("name", "b")
	assert.True(t, form.Check())

	field := render(t, v, "field", form.Field(v, "entity"))
	assert.Contains(t, field, `<div class="picker"><label for="entity">`)
	assert.Contains(t, field, `list="l-entity" autocomplete="off" data-picker="/suggest?a=1&amp;b=2" data-none="Nada coincide`)
	assert.Contains(t, field, `<datalist id="l-entity"><option value="&#34;&gt;`)
	assert.NotContains(t, field, `value="x"`, "codes are not shown")
	assert.NotContains(t, render(t, v, "field", form.Field(v, "name")), "picker")
}

func TestSuggestionsAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]Option, 2*maxSuggestions)
	for i := range many {
		many[i].Text = "León"
	}
	assert.Len(t, MatchingOptions(many, "LEO"), maxSuggestions)
	assert.Empty(t, MatchingOptions(many, "x"))
	require.Len(t, MatchingOptions([]Option{{Text: "9 Águila"}, {Text: "5 León"}}, "agui"), 1)
}
