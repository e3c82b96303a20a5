// Package locale reads the texts of people in their languages.
package locale

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Languages of texts. Spanish is the default: cashiers read the texts.
const (
	Spanish = "es"
	English = "en"
)

// Catalogue holds texts by language and key.
type Catalogue map[string]map[string]string

// Read reads a document of texts by key and language, such as {"word.yes": {"es": "Sí", "en": "Yes"}}. Errors: a key that
// stands twice, a text that a language lacks, another language.
func Read(document []byte) (Catalogue, error) {
	var texts map[string]struct {
		Spanish string `json:"es"`
		English string `json:"en"`
	}
	if err := json.Unmarshal(document, &texts, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	all := Catalogue{Spanish: make(map[string]string, len(texts)), English: make(map[string]string, len(texts))}
	for key, text := range texts {
		if text.Spanish == "" || text.English == "" {
			return nil, fmt.Errorf("texts: %s: a language has no text", key)
		}
		all[Spanish][key], all[English][key] = text.Spanish, text.English
	}
	return all, nil
}
