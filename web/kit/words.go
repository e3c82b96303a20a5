package kit

import (
	"net/http"
	"strings"

	"banca/internal/platform/locale"
	"banca/web/kit/locales"
)

// languageParam is the parameter of the address that chooses a language.
const languageParam = "lang"

// Languages of the pages.
const (
	Spanish = locale.Spanish // the default
	English = locale.English
)

// Catalogue holds every text of the pages by language and key.
type Catalogue = locale.Catalogue

// LoadCatalogue reads the embedded texts. Errors: as of locale.Read.
func LoadCatalogue() (Catalogue, error) { return locale.Read(locales.Texts) }

// languageOf returns the language of the address, otherwise of the language cookie, otherwise the first language of
// Accept-Language that the pages have, otherwise Spanish.
func languageOf(r *http.Request) string {
	wanted := []string{r.URL.Query().Get(languageParam)}
	if chosen, err := r.Cookie(languageCookie); err == nil {
		wanted = append(wanted, chosen.Value)
	}
	for tag := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		wanted = append(wanted, tag)
	}
	for _, tag := range wanted {
		primary, _, _ := strings.Cut(strings.TrimSpace(tag), ";")
		primary, _, _ = strings.Cut(primary, "-")
		switch strings.ToLower(primary) {
		case Spanish:
			return Spanish
		case English:
			return English
		}
	}
	return Spanish
}
