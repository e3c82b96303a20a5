package browser

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// badRequest is the least status of a failed request.
const badRequest = 400

// watch collects the errors of a page.
type watch struct {
	mu       sync.Mutex
	requests map[network.RequestID]string // method and address
	problems []string
	expected []string
	allowed  []string
}

func newWatch() *watch { return &watch{requests: map[network.RequestID]string{}} }

func (w *watch) expect(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = append(w.expected, text)
}

func (w *watch) allow(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, text)
}

// event handles one event of the page. It is called between messages of the browser and must be quick.
func (w *watch) event(ev any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		w.requests[e.RequestID] = e.Request.Method + " " + e.Request.URL
	case *network.EventResponseReceived:
		if e.Response.Status >= badRequest {
			w.note("request: %d %s", e.Response.Status, w.requests[e.RequestID])
		}
	case *network.EventLoadingFailed:
		if !e.Canceled { // of a request cancelled by leaving the page
			w.note("request: %s %s %s", e.ErrorText, e.BlockedReason, w.requests[e.RequestID])
		}
	case *log.EventEntryAdded: // violations of the content policy among others; network errors are noted above
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			w.note("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.note("console: %s", arguments(e.Args))
		}
	case *runtime.EventExceptionThrown:
		w.note("exception: %s", thrown(e.ExceptionDetails))
	}
}

func (w *watch) note(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// verdict returns the problems that were neither expected nor allowed, and the expectations that nothing met.
func (w *watch) verdict() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var bad []string
	met := map[string]bool{}
	for _, problem := range w.problems {
		if slices.ContainsFunc(w.allowed, func(text string) bool { return strings.Contains(problem, text) }) {
			continue
		}
		i := slices.IndexFunc(w.expected, func(text string) bool { return strings.Contains(problem, text) })
		if i < 0 {
			bad = append(bad, problem)
			continue
		}
		met[w.expected[i]] = true
	}
	for _, text := range w.expected {
		if !met[text] {
			bad = append(bad, "expected and not seen: "+text)
		}
	}
	return bad
}

func arguments(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		if a.Description != "" {
			words = append(words, a.Description)
		} else {
			words = append(words, string(a.Value))
		}
	}
	return strings.Join(words, " ")
}

func thrown(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}
