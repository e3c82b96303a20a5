package assistant

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/assistant"
)

// page is a browser that shows a stream as static/assistant.js does.
type page struct {
	shown []string
	last  string // id of the newest event
	bytes int    // that were sent
	cut   int    // events that still arrive; below 0 for all
}

func (p *page) Send(id, event, data string) error {
	if p.cut == 0 {
		return errCut
	}
	p.cut--
	p.bytes += len(data)
	if id != "" {
		p.last = id
	}
	if event != "part" {
		return nil
	}
	var d part
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		return err
	}
	if d.At > 0 {
		units := utf16.Encode([]rune(p.shown[d.Keep]))
		d.HTML[0] = string(utf16.Decode(units[:d.At])) + d.HTML[0]
	}
	p.shown = append(p.shown[:d.Keep:d.Keep], d.HTML...)
	return nil
}

func (*page) Beat() error { return nil }

type cutError struct{}

func (cutError) Error() string { return "the connection broke" }

var errCut error = cutError{}

// events is an answer in parts, as Redis has it.
func events(parts []string) []assistant.Event {
	var list []assistant.Event
	for i, text := range parts {
		e := assistant.Event{ID: strconv.Itoa(i+1) + "-0", Kind: assistant.EventText, Data: text}
		switch text {
		case "start", "tool":
			e.Kind = text
		}
		list = append(list, e)
	}
	return list
}

func words(key string) string { return key }

// However an answer is cut into parts and connections, the page has what the whole text is.
func TestAPageHasTheAnswerSoFar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		list := events(rapid.SliceOfN(rapid.SampledFrom([]string{
			"start", "tool", "Ventas ", "de **hoy", "**", "\n", "\n\n", "| a | b |\n", "|---|---|\n", "| Taquilla | 1.234,56 |\n", "- uno\n", "- 😀 dos", "```\n", "<b>", "`x", "é", "# ",
		}), 1, 20).Draw(r, "parts"))
		browser := &page{}
		for reached, tries := 1, 0; tries >= 0; tries++ { // a connection each
			d := &reader{words: words, out: browser, seen: browser.last}
			if browser.cut = rapid.IntRange(0, 6).Draw(r, "events"); tries > 10 {
				browser.cut = -1
			}
			if rapid.IntRange(0, 9).Draw(r, "another page") == 0 {
				d.seen, browser.last, browser.shown = "", "", nil
			}
			for from := 0; ; {
				to := min(reached+rapid.IntRange(0, 4).Draw(r, "batch"), len(list))
				reached = to
				if d.Events(list[from:to]) != nil {
					break
				}
				if from = to; to == len(list) {
					tries = -2
					break
				}
			}
		}
		text := ""
		for _, e := range list {
			switch e.Kind {
			case assistant.EventStart:
				text = ""
			case assistant.EventText:
				text += e.Data
			}
		}
		require.Equal(r, strings.Join(render(text, true), ""), strings.Join(browser.shown, ""))
	})
}

// An answer of one long block is sent about once, and what a browser has is not sent again.
func TestALongAnswerIsSentOnce(t *testing.T) {
	t.Parallel()
	parts := []string{"| Taquilla | Vendido |\n|---|---:|\n"}
	for i := range 120 {
		parts = append(parts, "| Taquilla "+strconv.Itoa(i)+" | 1.234,56 |\n")
	}
	list := events(parts)
	browser := &page{cut: -1}
	d := &reader{words: words, out: browser}
	for i := range list {
		require.NoError(t, d.Events(list[i:i+1]))
	}
	whole := len(strings.Join(browser.shown, ""))
	require.Greater(t, whole, 6_000)
	require.Less(t, browser.bytes, 3*whole)
	before := browser.bytes
	d = &reader{words: words, out: browser, seen: browser.last}
	require.NoError(t, d.Events(list))
	require.Equal(t, before, browser.bytes, "nothing is new")
	d = &reader{words: words, out: browser, seen: list[60].ID}
	browser.shown = render(strings.Join(parts[:61], ""), true)
	require.NoError(t, d.Events(list))
	require.Less(t, browser.bytes-before, 2*whole/3, "the second half")
	require.Len(t, strings.Join(browser.shown, ""), whole)
	d = &reader{words: words, out: browser, seen: "9-9"}
	require.NoError(t, d.Events(list), "an event that is not known any more")
	require.Len(t, strings.Join(browser.shown, ""), whole)
}
