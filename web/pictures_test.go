package web

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/platform/health"
)

// shots takes pictures of pages.
type shots struct {
	t      *testing.T
	wanted *chromium.Pictures
	server *httptest.Server
}

// take takes the pictures of pages, each in all languages and looks.
func (s *shots) take(stops []tourStop) {
	tab := enterAt(s.t, s.server.URL)
	s.each(tab, func(language, look string) {
		numbers := map[string]int{}
		for _, stop := range stops {
			numbers[stop.route]++
			joint := "?"
			if strings.Contains(stop.address, "?") {
				joint = "&"
			}
			tab.Visit(s.server.URL + stop.address + joint + "lang=" + language)
			s.wanted.Save(tab, stop.name(numbers[stop.route]), language, look)
		}
	})
}

// health takes pictures of the state of the platform with each of its dependencies away.
func (s *shots) health() {
	w := watch(s.t)
	server := httptest.NewServer(w.engine)
	s.t.Cleanup(server.Close)
	tab := chromium.Open(s.t)
	s.each(tab, func(language, look string) {
		for _, away := range []string{"none", "postgres", "redis", "objects", "messaging"} {
			w.change = nil
			if away == "messaging" {
				w.change = func(f *health.Figures) {
					f.Messages = &health.Messages{Waiting: 240, OldestAt: w.clock.Now().Add(-20 * time.Minute), Failed: 12, Paused: 1, Channels: 2, Closed: 1}
				}
			}
			w.sample(s.t, away)
			tab.Visit(server.URL + "/health-dashboard?lang=" + language)
			s.wanted.Save(tab, "health-without-"+away, language, look)
		}
	})
}

// each calls take for each look and language.
func (s *shots) each(tab *chromium.Tab, take func(language, look string)) {
	s.wanted.EachLook(tab, (*chromium.Tab).Screen, func(look string) {
		for _, language := range s.wanted.Languages {
			require.Contains(s.t, []string{spanish, english}, language)
			take(language, look)
		}
	})
}
