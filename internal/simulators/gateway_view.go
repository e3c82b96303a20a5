package simulators

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
)

// chatPage is the page of delivered messages.
//
//go:embed chat.html
var chatPage string

// chatLimit bounds the messages on the page.
const chatLimit = 100

// chatMessage is a message with its picture's address checked for the page.
type chatMessage struct {
	Delivered

	Picture template.URL
}

// showChat renders the newest messages as a telephone would show them.
func (g *Gateway) showChat(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Query().Get("number")
	messages := g.outbox.to(number)
	messages = messages[:min(len(messages), chatLimit)]
	view := struct {
		Number   string
		Messages []chatMessage
	}{Number: number}
	for _, m := range messages {
		view.Messages = append(view.Messages, chatMessage{Delivered: m, Picture: picture(m.MediaURL)})
	}
	page, err := template.New("chat").Parse(chatPage)
	if err != nil {
		http.Error(w, "the page is broken", http.StatusInternalServerError)
		return
	}
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		http.Error(w, "the page is broken", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; form-action 'self'")
	_, _ = w.Write(out.Bytes()) // the reader may be gone
}

// picture trusts exactly the addresses that mediaURL makes: the template would drop data: URLs otherwise.
func picture(address string) template.URL {
	for _, prefix := range []string{"http://", "https://", "data:image/png;base64,", "data:image/jpeg;base64,"} {
		if strings.HasPrefix(address, prefix) {
			return template.URL(address) //nolint:gosec // in an attribute, where the template still escapes quotes
		}
	}
	return ""
}
