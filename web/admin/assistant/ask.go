package assistant

import (
	"strings"

	"banca/internal/assistant"
	"banca/web/kit"
)

// ask sends a question. A script gets the conversation with it, a browser without scripts is redirected to its page.
func (p *pages) ask(r *kit.Request) error {
	text := r.Form("message")
	if strings.TrimSpace(text) == "" {
		text = r.Form("suggestion")
	}
	m, _, err := p.Assistant.Ask(r.Context(), r.Caller, &assistant.Question{ConversationID: r.ID, Text: text, Language: r.Language, IdempotencyKey: r.Text("key")})
	if !r.Scripted() {
		if err != nil {
			return p.chat.ShowRefusal(r, err, func(page *chatPage) { page.Draft, page.Key = text, r.Text("key") })
		}
		return r.Redirect(address(m.ConversationID) + "#m-" + m.ID.String())
	}
	id := r.ID
	if err == nil {
		id = m.ConversationID
	}
	page, readErr := p.conversation(r, id)
	if readErr != nil {
		return readErr
	}
	if err != nil {
		_, refusal, ok := r.Explain(err)
		if !ok {
			return err
		}
		page.Draft, page.Refusal, page.Key = text, refusal, r.Text("key")
	}
	if page.Sheet = r.Form("sheet") != ""; page.Sheet {
		return r.Part("chat", "chat", page)
	}
	if err := p.fillList(r, page); err != nil {
		return err
	}
	page.Swap = true
	r.PushAddress(address(id))
	return r.Part("chat", "chat-and-list", page)
}

// message writes a question with its answer for a script; a browser without scripts is redirected to the conversation.
func (p *pages) message(r *kit.Request) error {
	m, err := p.Assistant.Message(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	if !r.Scripted() {
		return r.Redirect(address(m.ConversationID) + "#m-" + m.ID.String())
	}
	return r.Part("chat", "turn", turnOf(r, m))
}

// stop stops the writing of an answer; the stream shows its end.
func (p *pages) stop(r *kit.Request) error {
	m, err := p.Assistant.Stop(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	if r.Scripted() {
		return r.Plain(200, "")
	}
	return r.Redirect(address(m.ConversationID) + "#m-" + m.ID.String())
}
