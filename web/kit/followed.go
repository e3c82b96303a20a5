package kit

import (
	"bytes"
	"errors"
	"hash/maphash"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the streams of pages.
const (
	streamPath    = "/live" // below the path of a page
	renewEvery    = 5 * time.Second
	maxStreamTime = 10 * time.Minute // a browser then connects again
	maxStreams    = 500              // of a process
	userStreams   = 10               // of one of its users
	maxListeners  = 5000             // of a process: they run no page
	userListeners = 20               // of one of its users
)

// contentName is the template of a page without the frame around it.
const contentName = "content"

// liveMark marks the elements of a page that a browser keeps up to date. They have an id.
const liveMark = "data-live"

// Live declares that browsers keep the marked elements of the page up to date: <path>/live is a stream of server-sent events with
// the ones that have changed. A page shows the state of its stream by the template part stream.
func (r Route) Live() Route {
	r.live = true
	return r
}

// StreamState is the line of a page that shows whether its marked elements are up to date.
type StreamState struct {
	Address     string // of the stream
	Fresh, Lost string // texts; "%s" in them is the time of the last event
	At          string // the time of the page
}

// Text is the line of the page as it is written.
func (s *StreamState) Text() string { return strings.ReplaceAll(s.Fresh, "%s", s.At) }

// StreamState returns the line of the page. Its stream is of the page at the address with further parameters, given by name and value in
// turn: what the page chose itself and must not change while it is open.
func (v *View) StreamState(further ...string) *StreamState {
	address := *v.here
	query := address.Query()
	for _, parameter := range []string{doneParam, besideParam, languageParam} {
		query.Del(parameter)
	}
	for pair := range slices.Chunk(further, 2) {
		query.Set(pair[0], pair[1])
	}
	address.Path, address.RawQuery = address.Path+streamPath, query.Encode()
	return &StreamState{Address: address.String(), Fresh: v.T("live.fresh"), Lost: v.words["live.lost"], At: v.TimeOfDay(v.now)}
}

// update is the data of an event: the time of the server, and the changed elements by their ids.
type update struct {
	At    string            `json:"at"`
	Parts map[string]string `json:"parts"`
}

// errSaturated refuses a stream while all are in use.
var errSaturated = Refuse(http.StatusServiceUnavailable, "error.busy")

// followed returns the handler of the stream of a page: it runs the page's handler every five seconds. The stream ends with the session, with the right
// to open the page, with the process, and with the first answer of the page that is not its content.
func (s *Site) followed(show Handler) Handler {
	return func(r *Request) error {
		free, ok := s.streams.Take(r.Caller.UserID)
		if !ok {
			return errSaturated
		}
		defer free()
		end := time.NewTimer(maxStreamTime)
		defer end.Stop()
		next := time.NewTicker(renewEvery)
		defer next.Stop()
		page := *r.URL()
		page.Path = strings.TrimSuffix(page.Path, streamPath)
		f := &follower{out: r.Stream(), page: &page, sent: map[string]uint64{}, seed: maphash.MakeSeed()}
		for f.renew(r, show) == nil {
			select {
			case <-r.Context().Done():
				return nil
			case <-s.closing:
				return nil
			case <-end.C:
				return nil
			case <-next.C:
			}
			if r.mayGoOn() != nil {
				return nil
			}
		}
		return nil
	}
}

// mayGoOn checks the session and the access of the page again.
func (r *Request) mayGoOn() error {
	now, err := r.site.Sessions.AuthenticateBrowser(r.Context(), r.siteCookie(SessionCookie))
	if err != nil {
		return err
	}
	r.Caller = now
	return r.route.check(r)
}

// follower sends the elements of a page that have changed.
type follower struct {
	out  *Stream
	page *url.URL
	sent map[string]uint64 // the hash of each element
	seed maphash.Seed
}

// errNoContent ends a stream whose page answers something else.
var errNoContent = errors.New("web: the page did not answer its content")

// renew runs the handler of the page and sends the changes.
func (f *follower) renew(r *Request, show Handler) error {
	var content []byte
	now := &Request{
		Caller: r.Caller, ID: r.ID, Language: r.Language, site: r.site, c: r.c, route: r.route, browser: r.browser, page: f.page,
		capture: func(text []byte) { content = text },
	}
	if err := show(now); err != nil {
		return err
	}
	if content == nil {
		return errNoContent
	}
	parts, err := liveParts(content)
	if err != nil {
		return err
	}
	for id, text := range parts {
		hash := maphash.Bytes(f.seed, counted.ReplaceAll([]byte(text), nil))
		if f.sent[id] == hash {
			delete(parts, id)
		}
		f.sent[id] = hash
	}
	raw, err := json.Marshal(update{At: r.Now().Format(timeOfDay), Parts: parts})
	if err != nil {
		return err
	}
	return f.out.Send("", "parts", string(raw))
}

// counted is the time left of a countdown, which browsers count themselves.
var counted = regexp.MustCompile(` data-left="\d+"`)

// liveParts returns the marked elements of a page by their ids.
func liveParts(content []byte) (map[string]string, error) {
	nodes, err := html.ParseFragment(bytes.NewReader(content), &html.Node{Type: html.ElementNode, Data: "main", DataAtom: atom.Main})
	if err != nil {
		return nil, err
	}
	parts := map[string]string{}
	for _, root := range nodes {
		if err := collectParts(root, parts); err != nil {
			return nil, err
		}
		for node := range root.Descendants() {
			if err := collectParts(node, parts); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// collectParts adds an element, if it is marked.
func collectParts(node *html.Node, parts map[string]string) error {
	if node.Type != html.ElementNode {
		return nil
	}
	id, live := "", false
	for _, attribute := range node.Attr {
		switch attribute.Key {
		case "id":
			id = attribute.Val
		case liveMark:
			live = true
		}
	}
	if !live || id == "" {
		return nil
	}
	var text bytes.Buffer
	if err := html.Render(&text, node); err != nil {
		return err
	}
	parts[id] = text.String()
	return nil
}

// Close ends the streams of pages, so that the server can end.
func (s *Site) Close() { close(s.closing) }
