package messages

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/receipts"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

// messagePage is a message with all that happened to it.
type messagePage struct {
	messaging.Detail

	Entity    string
	Links     []kit.MenuLink // related pages that the caller may open
	Picture   string         // address; "" for none, or for who may not see it
	Version   string         // of what is shown
	Channel   string         // name of the connection
	ChannelAt string         // address of its page
	Pause     *messaging.Pause
	Resends   bool // the caller may send it again

	open bool // the question, after it was refused
	now  time.Time
	form *kit.Form
}

func (p *pages) loadMessage(r *kit.Request) (*messagePage, error) {
	d, err := p.Messages.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &messagePage{Detail: d, Entity: kit.EntityName(r, d.EntityID), Resends: r.May(auth.MessagingResend) && resendable(d.Status), form: sureForm(r), now: r.Now()}
	page.Version = strconv.FormatInt(d.UpdatedAt.UnixMicro(), 36) + "." + strconv.Itoa(len(d.Tries)) + "." + strconv.Itoa(len(d.Reports))
	if d.TicketID != nil {
		page.Links = r.Links(kit.MenuLink{Title: "message.ticket.open", Path: links.Tickets + "/" + d.TicketID.String()})
		if picture := addressOf(d.ID) + "/picture"; d.ImageURL != nil && r.MayOpen(picture) {
			page.Picture = picture
		}
	}
	if d.Recipient != "" {
		page.Links = append(page.Links, kit.MenuLink{Title: "message.same", Path: path + "?recipient=%2B" + strings.TrimPrefix(d.Recipient, "+")})
	}
	return page, p.loadChannel(r, page)
}

// loadChannel adds the connection of the last attempt and its pause. Of one that belongs to an entity above the caller neither is shown.
func (p *pages) loadChannel(r *kit.Request, page *messagePage) error {
	if page.ChannelID == nil {
		return nil
	}
	c, err := p.Connections.Get(r.Context(), r.Caller, *page.ChannelID)
	switch {
	case kit.IsNotFound(err): // of an entity above, deleted, or the configured channel
		if *page.ChannelID != uuid.Nil || !r.Caller.IsOperator() {
			return nil
		}
	case err != nil:
		return err
	default:
		page.Channel, page.ChannelAt = c.Name, connectionAddress(c.ID)
	}
	if !page.Waiting {
		return nil
	}
	pauses, err := p.Messages.Pauses(r.Context(), []uuid.UUID{*page.ChannelID})
	if pause, ok := pauses[*page.ChannelID]; ok {
		page.Pause = &pause
	}
	return err
}

// Poll is the address that returns the state, "" for a message whose state will hardly change.
func (p *messagePage) Poll() string {
	if resendable(p.Status) || p.Status == models.MessageRead {
		return ""
	}
	return addressOf(p.ID) + "/state?seen=" + p.Version
}

// Every is how often the state is polled.
func (p *messagePage) Every() string {
	if p.Status == models.MessageQueued || p.Status == models.MessageSending {
		return "every 2s"
	}
	return "every 5s"
}

// Badges are the states of the message.
func (p *messagePage) Badges(v *kit.View) []kit.Badge { return []kit.Badge{badge(v, &p.MessageLog)} }

// Title says what sort of message it is.
func (p *messagePage) Title(v *kit.View) string { return kindText(v, p.Kind) }

// Secret reports whether the text of the message is kept nowhere.
func (p *messagePage) Secret() bool { return p.Kind == models.MessageCode }

// Code is the meaning of the error code; "" without one.
func (p *messagePage) Code(v *kit.View) string { return errorText(v, &p.MessageLog) }

// Advice is what a person can do; "" for a message that needs nothing.
func (p *messagePage) Advice(v *kit.View) string {
	if code := codeIn(&p.MessageLog); code != "" && resendable(p.Status) {
		return advice(v, code)
	}
	return ""
}

// Detailed is the reason of the failure; "" without one.
func (p *messagePage) Detailed(v *kit.View) string {
	if p.ErrorText == nil {
		return ""
	}
	return reasonText(v, *p.ErrorText)
}

// Resend asks before the message is sent again: what may happen, and for one whose outcome is not known that the person has understood it.
func (p *messagePage) Resend(v *kit.View) *kit.Question {
	key := "message.resend.ask"
	if p.Status == models.MessageUnknown {
		key = "message.resend.unknown"
	}
	q := v.Question(v.T("message.resend"), addressOf(p.ID)+"/resend", v.T(key), v.T("message.resend.do")).WithID("resend").
		Fact("message.recipient", kit.Mono(p.Recipient)).Fact("message.kind", kit.Text(kindText(v, p.Kind))).Opened(p.open)
	if p.Status == models.MessageUnknown {
		q.WithForm(p.form).Irreversible(true)
	}
	return q
}

// sureForm is the field by which a person says that a message may arrive twice.
func sureForm(r *kit.Request) *kit.Form {
	return kit.NewForm(kit.ChecksInput("sure", "message.sure.label", []kit.Option{{Value: "yes", Text: r.T("message.sure")}}).WithRule("message.sure.rule", false).Required())
}

// resendOne sends a message again. The second of two clicks is told that it is on its way.
func (p *pages) resendOne(r *kit.Request) error {
	d, err := p.Messages.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	if form := sureForm(r).FillFrom(r); d.Status == models.MessageUnknown && !form.Check() {
		return p.message.Present(r, http.StatusUnprocessableEntity, "", func(page *messagePage) { page.form, page.open = form, true })
	}
	err = p.Messages.Resend(r.Context(), r.Caller, r.ID)
	return p.message.Submit(r, err, "message.resent")
}

// state answers a poll with what changes of a message, or nothing if it is what the page shows.
func (p *pages) state(r *kit.Request) error {
	page, err := p.loadMessage(r)
	if err != nil {
		return err
	}
	if r.Query("seen") == page.Version {
		return unchanged(r)
	}
	return r.Part("message", "message-state", page)
}

// picture answers with the receipt that was sent, as it is now.
func (p *pages) picture(r *kit.Request) error {
	d, err := p.Messages.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	if d.TicketID == nil {
		return messaging.ErrNotFound
	}
	return r.SendPicture(p.Sales.Receipt(r.Context(), r.Caller, *d.TicketID, receipts.FormatPNG))
}

// unchanged answers a poll whose answer the page shows already.
func unchanged(r *kit.Request) error {
	w, _ := r.HTTP()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Timeline is the history of the message: queued, each attempt at its end, and the reports of the provider.
func (p *messagePage) Timeline(v *kit.View) *kit.Timeline {
	t := v.Timeline().Add("", v.T("message.story.queued"), p.CreatedAt)
	for i := range p.Tries {
		addAttempt(v, t, &p.Tries[i])
	}
	for i := range p.Reports {
		report := &p.Reports[i]
		if report.Status == models.MessageFailed {
			t.Add("bad", v.T("message.story.report"), report.ReportedAt).
				WithText(codeText(v, report.ErrorCode)).WithText(reasonText(v, report.ErrorText))
		} else {
			t.Add("good", v.T("message.story.report"), report.ReportedAt)
		}
		t.State("message", report.Status)
	}
	return p.ahead(v, t.Sorted())
}

func addAttempt(v *kit.View, t *kit.Timeline, a *models.MessageAttempt) {
	title := v.T("message.story.attempt", a.Number)
	if a.Outcome == models.MessageSent {
		t.Add("good", title, a.CreatedAt).State("message", models.MessageSent)
	} else {
		t.Add("bad", title, a.CreatedAt).WithText(codeText(v, strings.ToUpper(a.Outcome))).WithText(reasonText(v, a.ErrorText))
	}
	if a.Driver != "" {
		t.WithText(driverText(v, a.Driver)).WithText(v.T("message.story.took", strconv.Itoa(a.DurationMs)))
	}
}

// ahead adds what the message waits for.
func (p *messagePage) ahead(v *kit.View, t *kit.Timeline) *kit.Timeline {
	switch {
	case p.Waiting:
		return t.Add("", v.T("message.story.waits"), time.Time{}).WithText(v.T("message.story.waits.text"))
	case p.Status == models.MessageQueued && p.SendAfter != nil && p.SendAfter.After(p.now):
		return t.Add("", v.T("message.story.turn"), *p.SendAfter).WithText(v.T("message.story.turn.text"))
	case p.Status == models.MessageQueued:
		return t.Add("", v.T("message.story.next"), time.Time{})
	default:
		return t
	}
}

// DriverText is the name of the provider of the last attempt.
func (p *messagePage) DriverText(v *kit.View) string { return driverText(v, cmp.Or(p.Driver, "none")) }

func driverText(v *kit.View, driver string) string {
	return cmp.Or(v.FirstText("driver."+driver), driver)
}

// driverNote is the name of a chosen driver; "" before the choice.
func driverNote(v *kit.View, driver string) string {
	if driver == "" {
		return ""
	}
	return driverText(v, driver)
}

func connectionAddress(id uuid.UUID) string { return connectionsPath + "/" + id.String() }
