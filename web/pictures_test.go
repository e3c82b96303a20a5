package web

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/health"
	chromium "banca/internal/testkit/browser"
)

// shots takes pictures of pages.
type shots struct {
	t         *testing.T
	dir       string
	server    *httptest.Server
	languages []string
	looks     []string // a colour scheme, with -360 for a phone
}

// take takes the pictures of pages, each in all languages and looks.
func (s *shots) take(stops []tourStop) {
	tab := enterAt(s.t, s.server.URL)
	s.each(tab, func(language, suffix string) {
		numbers := map[string]int{}
		for _, stop := range stops {
			numbers[stop.route]++
			joint := "?"
			if strings.Contains(stop.address, "?") {
				joint = "&"
			}
			tab.Visit(s.server.URL + stop.address + joint + "lang=" + language)
			tab.Save(filepath.Join(s.dir, stop.name(numbers[stop.route])+suffix))
		}
	})
	s.t.Log("pictures in", s.dir)
}

// health takes pictures of the state of the platform with each of its dependencies away.
func (s *shots) health() {
	w := watch(s.t)
	server := httptest.NewServer(w.engine)
	s.t.Cleanup(server.Close)
	tab := chromium.Open(s.t)
	s.each(tab, func(language, suffix string) {
		for _, away := range []string{"none", "postgres", "redis", "objects", "messaging"} {
			w.change = nil
			if away == "messaging" {
				w.change = func(f *health.Figures) {
					f.Messages = &health.Messages{Waiting: 240, OldestAt: w.clock.Now().Add(-20 * time.Minute), Failed: 12, Paused: 1, Channels: 2, Closed: 1}
				}
			}
			w.sample(s.t, away)
			tab.Visit(server.URL + "/health-dashboard?lang=" + language)
			tab.Save(filepath.Join(s.dir, "health-without-"+away+suffix))
		}
	})
}

// each calls take for each look and language, with the end of the names of the pictures.
func (s *shots) each(tab *chromium.Tab, take func(language, suffix string)) {
	for _, look := range s.looks {
		scheme, narrow := strings.CutSuffix(look, "-360")
		tab.Scheme(scheme)
		if narrow {
			tab.Narrow()
		} else {
			tab.Screen()
		}
		for _, language := range s.languages {
			require.Contains(s.t, []string{spanish, english}, language)
			take(language, "."+language+"."+look+".png")
		}
	}
}
