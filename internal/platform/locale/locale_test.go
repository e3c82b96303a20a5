package locale_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/locale"
)

func TestEachTextHasEveryLanguage(t *testing.T) {
	t.Parallel()
	all, err := locale.Read([]byte(`{"word.yes": {"es": "Sí", "en": "Yes"}, "word.no": {"en": "No", "es": "No"}}`))
	require.NoError(t, err)
	require.Equal(t, locale.Catalogue{
		locale.Spanish: {"word.yes": "Sí", "word.no": "No"}, locale.English: {"word.yes": "Yes", "word.no": "No"},
	}, all)
	for name, document := range map[string]string{
		"twice":          `{"a": {"es": "x", "en": "x"}, "a": {"es": "x", "en": "x"}}`,
		"no English":     `{"a": {"es": "x"}}`,
		"empty Spanish":  `{"a": {"es": "", "en": "x"}}`,
		"third language": `{"a": {"es": "x", "en": "x", "pt": "x"}}`,
		"no document":    ``,
	} {
		_, err := locale.Read([]byte(document))
		require.Error(t, err, name)
	}
}
