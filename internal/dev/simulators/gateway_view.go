package simulators

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
)

// chatPage is the page of accounts and delivered messages.
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

// chatAccount is an account with the QR code that it shows.
type chatAccount struct {
	account

	QR template.URL
}

// chatView is the page.
type chatView struct {
	Number   string
	Fault    Fault
	Modes    []string
	Sources  []string
	Breaks   []string
	Accounts []chatAccount
	Messages []chatMessage
}

func (g *Gateway) chatView(number string) chatView {
	messages := g.outbox.to(number)
	messages = messages[:min(len(messages), chatLimit)]
	view := chatView{
		Number: number, Fault: g.faults.get(), Modes: g.faults.modes, Sources: g.faults.sources,
		Breaks: []string{stateClosed, stateBanned, statePasskey, stateLicence},
	}
	for _, a := range g.accounts.list() {
		shown := chatAccount{account: a}
		if a.State == stateQR {
			shown.QR = picture("data:image/png;base64," + picturePNG(a.code(g.config.Clock.Now())))
		}
		view.Accounts = append(view.Accounts, shown)
	}
	for _, m := range messages {
		view.Messages = append(view.Messages, chatMessage{Delivered: m, Picture: picture(m.MediaURL)})
	}
	return view
}

// showChat renders the newest messages as a telephone would show them, and the buttons that scan, break and mend.
func (g *Gateway) showChat(w http.ResponseWriter, r *http.Request) {
	page, err := template.New("chat").Parse(chatPage)
	if err != nil {
		http.Error(w, "the page is broken", http.StatusInternalServerError)
		return
	}
	var out bytes.Buffer
	if err := page.Execute(&out, g.chatView(r.URL.Query().Get("number"))); err != nil {
		http.Error(w, "the page is broken", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; form-action 'self'")
	_, _ = w.Write(out.Bytes()) // the reader may be gone
}

// picture trusts exactly the addresses that mediaURL and picturePNG make: the template would drop data: URLs otherwise.
func picture(address string) template.URL {
	for _, prefix := range []string{"http://", "https://", "data:image/png;base64,", "data:image/jpeg;base64,"} {
		if strings.HasPrefix(address, prefix) {
			return template.URL(address) //nolint:gosec // in an attribute, where the template still escapes quotes
		}
	}
	return ""
}
