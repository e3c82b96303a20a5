package kit

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// View.N gives a text its number and the further arguments, so both forms take the same ones.
func TestPluralFormsTakeTheSameArguments(t *testing.T) {
	t.Parallel()
	all, err := LoadCatalogue()
	require.NoError(t, err)
	argument := regexp.MustCompile(`%(\[\d\])?[a-z]`)
	forms := 0
	for language, words := range all {
		for key, text := range words {
			stem, single := strings.CutSuffix(key, ".one")
			if other := words[stem+".other"]; single && other != "" {
				assert.Len(t, argument.FindAllString(other, -1), len(argument.FindAllString(text, -1)), "%s %s", language, key)
				forms++
			}
		}
	}
	assert.Positive(t, forms)
}
