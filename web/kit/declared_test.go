package kit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/web/kit"
)

// Each declared permission, bet type and mode of the counter has a text in both languages, and no text of these kinds
// is of anything else. The label on receipts is the Spanish text.
func TestDeclaredFactsHaveTexts(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, p := range auth.Permissions() {
		want["perm."+string(p)] = true
	}
	for _, b := range catalog.BetTypes() {
		want["bet."+b.Name], want["pos.mode."+b.Mode] = true, true
	}
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for language, texts := range words {
		for key := range want {
			assert.NotEmpty(t, texts[key], "%s: add the text %s to web/kit/locales", language, key)
		}
		for key := range texts {
			declared := slices.ContainsFunc([]string{"perm.", "bet.", "pos.mode."}, func(p string) bool { return strings.HasPrefix(key, p) })
			assert.True(t, !declared || want[key], "%s: nothing declares %s", language, key)
		}
	}
	for _, b := range catalog.BetTypes() {
		assert.Equal(t, words[kit.Spanish]["bet."+b.Name], b.Label)
	}
}
