package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pictures are what the variables of `make pictures` ask for.
type Pictures struct {
	Languages []string

	part  string   // of the routes, "all" for all
	looks []string // a colour scheme each, with narrow for a phone
}

const (
	picturesDir = "../var/pictures" // from a package at the top level
	narrow      = "-360"
)

// NeedPictures reads the variables of `make pictures`. Without them it skips the test.
func NeedPictures(t testing.TB) *Pictures {
	t.Helper()
	part := os.Getenv("BANCA_PICTURES")
	if part == "" {
		t.Skip("make pictures")
	}
	Need(t)
	check(t, os.MkdirAll(picturesDir, 0o755))
	return &Pictures{
		part: part, Languages: picked("BANCA_PICTURES_LANGUAGE", "es", "en"), looks: picked("BANCA_PICTURES_LOOK", "light", "dark", "light"+narrow, "dark"+narrow),
	}
}

// picked returns the value of a variable, or all values.
func picked(variable string, all ...string) []string {
	if value := os.Getenv(variable); value != "" {
		return strings.Split(value, ",")
	}
	return all
}

// Wants reports whether pictures of a route are asked for.
func (p *Pictures) Wants(route string) bool {
	return p.part == "all" || strings.Contains(route+"$", p.part)
}

// EachLook gives a tab each look and calls take with its name. screen makes the page as large as a screen.
func (p *Pictures) EachLook(tab *Tab, screen func(*Tab), take func(look string)) {
	tab.t.Helper()
	for _, look := range p.looks {
		scheme, phone := strings.CutSuffix(look, narrow)
		tab.Scheme(scheme)
		if phone {
			tab.Narrow()
		} else {
			screen(tab)
		}
		take(look)
	}
}

// Write writes a picture that is no page.
func (p *Pictures) Write(t testing.TB, name, language string, png []byte) {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(picturesDir, strings.Join([]string{name, language, "png"}, ".")), png, 0o600))
}

// Save writes the picture of a page.
func (p *Pictures) Save(tab *Tab, page, language, look string) {
	tab.t.Helper()
	tab.Save(filepath.Join(picturesDir, strings.Join([]string{page, language, look, "png"}, ".")))
}
