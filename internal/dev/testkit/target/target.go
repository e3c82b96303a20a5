// Package target names the tests that `make test` leaves to other targets of the Makefile.
package target

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// variable holds the targets whose tests run, separated by spaces.
const variable = "BANCA_TARGETS"

// Targets that run tests.
const (
	Chaos    = "chaos"    // faults of minutes
	Delivery = "delivery" // with programs that `make test` does not install
	Long     = "long"     // the walks of the panel and the counter in a browser, three years of months
	Machines = "machines" // several machines
	Packages = "packages" // an installed package
	Pages    = "pages"    // every page in a browser
	Race     = "race"     // with the race detector
)

// words are parts of names: the Makefile runs the tests of a target by them.
var words = map[string]string{Chaos: "InChaos", Delivery: "Delivered", Long: "PointOfSale", Machines: "Machines", Packages: "Packaged"} //nolint:gochecknoglobals // constant

// Only skips a test unless its target runs. Such a test takes minutes, or needs programs that `make test` does not install. It fails if the target does
// not run a test of this name.
func Only(t testing.TB, name string) {
	t.Helper()
	if word := words[name]; word == "" || !strings.Contains(t.Name(), word) {
		t.Fatalf("make %s runs tests whose names have the word %q", name, word)
	}
	if !Runs(name) {
		t.Skip("make " + name)
	}
}

// Shorten skips a subtest that `make test` leaves to `make long`: each but the named ones.
func Shorten(t testing.TB, names []string) {
	t.Helper()
	kept := slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(t.Name(), "/"+strings.ReplaceAll(name, " ", "_"))
	})
	if !kept && !Runs(Long) {
		t.Skip("make " + Long)
	}
}

// Runs reports whether a target runs now, for a test that has a short form.
func Runs(name string) bool {
	return slices.Contains(strings.Fields(os.Getenv(variable)), name)
}
