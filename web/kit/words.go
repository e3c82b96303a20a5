package kit

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"banca/web/kit/locales"
)

// languageParam is the parameter of the address that chooses a language.
const languageParam = "lang"

// Languages of the pages.
const (
	Spanish = "es" // the default
	English = "en"
)

// Catalogue holds every text of the pages by language and key.
type Catalogue map[string]map[string]string

// LoadCatalogue reads the embedded texts. Errors: a key that a language has twice.
func LoadCatalogue() (Catalogue, error) {
	all := Catalogue{}
	for _, code := range []string{Spanish, English} {
		raw, err := locales.Files.ReadFile(code + ".json")
		if err != nil {
			return nil, fmt.Errorf("web: words: %w", err)
		}
		words := map[string]string{}
		if err := json.Unmarshal(raw, &words); err != nil {
			return nil, fmt.Errorf("web: words: %w", err)
		}
		all[code] = words
	}
	return all, nil
}

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
