// Package assistant has the pages of the assistant: conversations, a sheet beside every page, and what its models used.
package assistant

import (
	"embed"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/assistant"
	"banca/internal/auth"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path         = links.Home + "/assistant"
	messagesPath = path + "/messages"
	sheetPath    = path + "/sheet"
	usagePath    = path + "/usage"
)

// Bounds of the pages.
const (
	listed    = 30 // conversations in the list
	shownLast = 20 // messages of a conversation
	maxDraft  = 2_000
	maxTitle  = 120
	suggested = 6 // questions that an empty conversation offers
	further   = 3 // after an answer
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	chat  kit.Page[chatPage]
	usage kit.List[assistant.Usage, usagePage]
}

// Area returns the pages of the assistant.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.chat = kit.Page[chatPage]{Template: "chat", Load: p.load}
	p.usage = kit.List[assistant.Usage, usagePage]{
		Template: "usage", File: "assistant-usage", Columns: usageColumns(), Empty: "assistant.usage.none", Rows: p.usageRows, Filter: usageFilter, Page: p.usagePage,
	}
	use := kit.Can(auth.AssistantRead)
	return kit.Area{Templates: templates, Guide: "messaging#the-assistant", Routes: []kit.Route{
		kit.Get(path, use, p.chat.Show),
		kit.Post(path, use, p.ask),
		kit.Get(path+"/:id", use, p.chat.Show),
		kit.Action(path+"/:id", "/ask", use, p.ask),
		kit.Action(path+"/:id", "/rename", use, p.rename),
		kit.Action(path+"/:id", "/delete", use, p.remove),
		kit.Get(sheetPath, use, p.sheet),
		kit.Get(messagesPath+"/:id", use, p.message),
		kit.Action(messagesPath+"/:id", "/stop", use, p.stop),
		kit.Get(messagesPath+"/:id/stream", use, p.stream),
		kit.Get(usagePath, kit.Can(auth.ReportsRead).Operator(), p.usage.Show).Menu("nav.system", "assistant.usage"),
	}}
}

func address(id uuid.UUID) string {
	if id == uuid.Nil {
		return path
	}
	return path + "/" + id.String()
}

// chatPage is a conversation, or the beginning of one, with the list of all.
type chatPage struct {
	ID      uuid.UUID // Nil before the first question
	Title   string
	Turns   []*turn
	Earlier string // address of the page with all messages; "" if these are all
	Draft   string // question that was refused
	Refusal string // of it
	Key     string // of the next question
	Sheet   bool   // beside another page
	Beside  string // path of that page; "" if unknown
	Swap    bool   // a script replaces the list
	List    []listedChat
	Older   string // address of the list's next page
}

// listedChat is a row of the list of conversations.
type listedChat struct {
	assistant.Conversation

	Current bool
}

// Address is that of the conversation.
func (c *listedChat) Address() string { return address(c.ID) }

// Action is the address to which the next question is sent.
func (p *chatPage) Action() string {
	if p.ID == uuid.Nil {
		return path
	}
	return address(p.ID) + "/ask"
}

// Page is the address of the conversation's own page.
func (p *chatPage) Page() string { return address(p.ID) }

// Begun reports whether there is a conversation.
func (p *chatPage) Begun() bool { return p.ID != uuid.Nil }

// Keys of questions that anybody can ask.
const (
	today, compare, branches = "assistant.try.today", "assistant.try.compare", "assistant.try.branches"
	draws, risk, exposure    = "assistant.try.draws", "assistant.try.risk", "assistant.try.exposure"
	closes, due, balance     = "assistant.try.closes", "assistant.try.prizes", "assistant.try.balance"
)

// topic is an area of the system with questions about it.
type topic struct {
	Title string
	Keys  []string
}

// Topics are the questions that a page without a conversation offers.
func (*chatPage) Topics() []topic {
	return []topic{{"nav.sales", []string{today, compare, branches}}, {"nav.draws", []string{draws, risk, exposure}}, {"nav.money", []string{closes, due, balance}}}
}

// Suggestions are questions that were not asked. Questions that follow from the newest answer, or about the page beside the conversation, are the first.
func (p *chatPage) Suggestions(v *kit.View) []string {
	keys, beside := []string(nil), []string{p.Beside}
	if last := len(p.Turns) - 1; last >= 0 {
		for _, source := range p.Turns[last].Sources {
			page, _, _ := strings.Cut(source.Link, "?")
			beside = append(beside, page)
			if source.sales() {
				keys = append(keys, "assistant.then.branches", "assistant.then.week")
			}
		}
	}
	for _, about := range []struct {
		page string
		keys []string
	}{
		{links.Exposure, []string{exposure, risk}}, {links.Limits, []string{exposure, risk}},
		{links.Draws, []string{draws, risk}}, {links.Prizes, []string{due}}, {links.Closes, []string{closes}},
		{links.Wallets, []string{balance}}, {links.Weekly, []string{balance, branches}}, {links.Organisation, []string{branches, balance}}, {links.Reports, []string{compare, branches}},
	} {
		if slices.ContainsFunc(beside, func(page string) bool { return page == about.page || strings.HasPrefix(page, about.page+"/") }) {
			keys = append(keys, about.keys...)
		}
	}
	most := suggested
	if p.Begun() {
		most = further
	}
	var texts []string
	for _, key := range append(keys, today, draws, closes, compare, due, risk, branches, balance) {
		text := v.T(key)
		asked := slices.ContainsFunc(p.Turns, func(t *turn) bool { return t.Question == text })
		if !asked && !slices.Contains(texts, text) && len(texts) < most {
			texts = append(texts, text)
		}
	}
	return texts
}

// Rename asks for another title.
func (p *chatPage) Rename(v *kit.View) *kit.Question {
	form := kit.NewForm(kit.TextInput("title", "assistant.title.label", maxTitle).Required()).WithPrefix("rename.").Put("title", p.Title)
	return v.Question(v.T("assistant.rename"), address(p.ID)+"/rename", "", v.T("word.save")).WithForm(form).WithID("rename")
}

// Delete asks before the conversation is deleted.
func (p *chatPage) Delete(v *kit.View) *kit.Question {
	return v.Question(v.T("assistant.delete"), address(p.ID)+"/delete", v.T("assistant.delete.ask", p.Title), v.T("assistant.delete.do")).Irreversible(true).WithID("delete")
}

// load reads the page of a conversation, or of none.
func (p *pages) load(r *kit.Request) (*chatPage, error) {
	page, err := p.conversation(r, r.ID)
	if err != nil {
		return nil, err
	}
	return page, p.fillList(r, page)
}

// conversation reads a conversation; Nil is a new one.
func (p *pages) conversation(r *kit.Request, id uuid.UUID) (*chatPage, error) {
	page := &chatPage{ID: id, Key: uuid.NewString()}
	if id == uuid.Nil {
		return page, nil
	}
	c, err := p.Assistant.Conversation(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	page.Title = c.Title
	list, err := p.Assistant.Messages(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	if len(list) > shownLast && r.Query("all") == "" {
		list, page.Earlier = list[len(list)-shownLast:], address(id)+"?all=1"
	}
	for i := range list {
		page.Turns = append(page.Turns, turnOf(r, &list[i]))
	}
	return page, nil
}

// fillList reads the list of conversations after the position that the address names.
func (p *pages) fillList(r *kit.Request, page *chatPage) error {
	after := assistant.Position{ID: r.QueryID("after")}
	if at, err := time.Parse(time.RFC3339Nano, r.Query("before")); err == nil {
		after.UpdatedAt = at
	}
	list, err := p.Assistant.Conversations(r.Context(), r.Caller, after, listed+1)
	if err != nil {
		return err
	}
	if len(list) > listed {
		list = list[:listed]
		last := &list[listed-1]
		page.Older = path + "?" + url.Values{"before": {last.UpdatedAt.Format(time.RFC3339Nano)}, "after": {last.ID.String()}}.Encode()
	}
	for i := range list {
		page.List = append(page.List, listedChat{Conversation: list[i], Current: list[i].ID == page.ID})
	}
	return nil
}

// sheet writes the part that a script shows beside another page. A conversation that is gone is a new one.
func (p *pages) sheet(r *kit.Request) error {
	page, err := p.conversation(r, r.QueryID("conversation"))
	if kit.IsNotFound(err) {
		page, err = p.conversation(r, uuid.Nil)
	}
	if err != nil {
		return err
	}
	page.Sheet, page.Beside = true, r.Query("page")
	return r.Part("chat", "chat", page)
}

func (p *pages) rename(r *kit.Request) error {
	_, err := p.Assistant.Rename(r.Context(), r.Caller, r.ID, r.Form("title"))
	return p.chat.Submit(r, err, "assistant.renamed")
}

func (p *pages) remove(r *kit.Request) error {
	if err := p.Assistant.Delete(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	return r.Done(path, "assistant.deleted")
}

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
	return r.Part("chat", "answered", &chatPage{ID: m.ConversationID, Turns: []*turn{turnOf(r, m)}})
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
