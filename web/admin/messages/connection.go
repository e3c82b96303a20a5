package messages

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/web/admin/links"
	"banca/web/kit"
)

// connectionPage is a connection with its account, its channel and what can be changed.
type connectionPage struct {
	connections.Connection

	EntityAt string // address of the entity's page; "" for who may not open it
	Linked   bool   // its account is linked to a telephone
	Writes   bool
	Webhook  string // address that the provider calls; "" if it reports nothing
	Public   []parameterValue
	Secrets  []string // keys of the names
	Pause    *messaging.Pause
	Settings *kit.Form
	Test     *kit.Form
	Key      string // of the test, so that sending the form twice sends one message
	Guide    string // key of what has to be done at the provider; "" for nothing
}

// parameterValue is a parameter that may be shown.
type parameterValue struct{ Name, Value string }

func (p *pages) loadConnection(r *kit.Request) (*connectionPage, error) {
	c, err := p.Connections.Watch(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &connectionPage{Connection: *c, Linked: p.Connections.Linked(c.Driver), Writes: r.May(auth.MessagingConnect), Key: uuid.NewString()}
	if at := links.Organisation + "/" + c.EntityID.String(); r.MayOpen(at) {
		page.EntityAt = at
	}
	pauses, err := p.Messages.Pauses(r.Context(), []uuid.UUID{c.ID})
	if pause, ok := pauses[c.ID]; ok {
		page.Pause = &pause
	}
	p.fill(r, page)
	return page, err
}

// fill adds the parameters and the forms.
func (p *pages) fill(r *kit.Request, page *connectionPage) {
	described := p.Connections.DriverParameters()[page.Driver]
	for _, d := range described {
		switch value := page.Parameters[d.Name]; {
		case d.Secret:
			page.Secrets = append(page.Secrets, "parameter."+d.Name)
		case value != "" || d.Default != "":
			page.Public = append(page.Public, parameterValue{"parameter." + d.Name, d.Value(channel.Channel{Parameters: page.Parameters})})
		}
	}
	if p.Connections.Reports(page.Driver) {
		page.Webhook = p.Connections.WebhookURL + page.ID.String()
	}
	if key := "connection.guide." + page.Driver; r.T(key) != "" {
		page.Guide = key
	}
	page.Settings = settingsForm(&connections.Settings{Name: page.Name, PerMinute: page.PerMinute},
		parameterInputs(r, page.Driver, described, true)...)
	for _, name := range slices.Sorted(maps.Keys(page.Parameters)) {
		page.Settings.Put(fieldPrefix+name, page.Parameters[name])
	}
	page.Test = kit.NewForm(kit.PhoneInput("phone", "label.phone").Required()).WithPrefix("t-")
}

// settingsForm is the form of the settings of a connection.
func settingsForm(s *connections.Settings, parameters ...kit.Input) *kit.Form {
	name := kit.TextInput("name", "label.name", 100).Required()
	return kit.NewForm(append([]kit.Input{name.Into(&s.Name), perMinuteInput().Into(&s.PerMinute)}, parameters...)...).
		WithPrefix("s-")
}

// Version changes with everything that the polled part shows.
func (p *connectionPage) Version() string {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, p.State, p.Reason, p.Phone, p.Code, p.QRVersion)
	if p.Pause != nil {
		_, _ = fmt.Fprint(h, p.Pause.Until.Unix(), p.Pause.Reason, p.Pause.Waiting)
	}
	if p.HasQR() && p.LinkUntil != nil {
		_, _ = fmt.Fprint(h, p.LinkUntil.Unix())
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Poll is the address that returns the state.
func (p *connectionPage) Poll() string {
	return connectionAddress(p.ID) + "/link?seen=" + url.QueryEscape(p.Version())
}

// Every is how often the state is polled: often while the account is linked or its channel is paused.
func (p *connectionPage) Every() string {
	if p.State == channel.ShowsQR || p.State == channel.Connecting || p.Paused() {
		return "every 2s"
	}
	return "every 10s"
}

// Paused reports whether the pause of the channel is worth telling: messages wait, or the account looks well.
func (p *connectionPage) Paused() bool { return paused(p.Pause, p.State) }

func paused(pause *messaging.Pause, state channel.State) bool {
	return pause != nil && (pause.Waiting > 0 || state == channel.Open)
}

// reasonText is the reason of a state or a failure: the platform's own parts and the state of the account in the page's
// language, the provider's parts as they came.
func reasonText(v *kit.View, reason string) string {
	parts := strings.Split(reason, ": ")
	for i, part := range parts {
		parts[i] = cmp.Or(v.FirstText("state.connection."+strings.TrimPrefix(part, channel.AccountIs)), v.Message(part))
	}
	return strings.Join(parts, ": ")
}

// At is the address of an action.
func (p *connectionPage) At(action string) string { return connectionAddress(p.ID) + action }

// QRAt is the address of the picture, another one for each picture; "" without one, or for who may not link the account.
func (p *connectionPage) QRAt() string {
	if p.State != channel.ShowsQR || !p.HasQR() || !p.Writes {
		return ""
	}
	return p.At("/qr?v=" + p.QRVersion)
}

// Left counts down to the next picture.
func (p *connectionPage) Left(v *kit.View) *kit.Countdown {
	if p.LinkUntil == nil {
		return nil
	}
	c := v.Countdown(*p.LinkUntil)
	c.Expired = v.T("connection.qr.renewing")
	if c.Remaining == 0 {
		c.Text = c.Expired
	}
	return c
}

// Retry counts down to the next attempt of a paused channel.
func (p *connectionPage) Retry(v *kit.View) *kit.Countdown {
	c := v.Countdown(p.Pause.Until)
	c.Expired = v.T("connection.pause.trying")
	if c.Remaining == 0 {
		c.Text = c.Expired
	}
	return c
}

// Connects reports whether the account can be linked now.
func (p *connectionPage) Connects() bool { return p.Linked && p.State != channel.Open && p.Writes }

// LogOut asks before the telephone is unlinked.
func (p *connectionPage) LogOut(v *kit.View) *kit.Question {
	return v.Question(v.T("connection.logout"), p.At("/logout"), v.T("connection.logout.ask", p.EntityName), v.T("connection.logout.do")).
		Fact("connection.one", kit.Wrap(p.Name)).Fact("connection.phone", kit.Mono(v.Phone(p.Phone))).Irreversible(true).WithID("logout")
}

// Delete asks before the connection and its account at the provider are removed.
func (p *connectionPage) Delete(v *kit.View) *kit.Question {
	q := v.Question(v.T("connection.delete"), p.At("/delete"), v.T("connection.delete.ask", p.EntityName), v.T("connection.delete.do")).
		Fact("connection.one", kit.Wrap(p.Name)).Irreversible(true).WithID("delete")
	if p.Pause != nil {
		q.Highlight(v.N("connection.delete.waiting", p.Pause.Waiting))
	}
	if p.Linked {
		q.WithForm(kit.NewForm(kit.ChecksInput("force", "connection.force.label", []kit.Option{{Value: "yes", Text: v.T("connection.force")}})).WithPrefix("d-"))
	}
	return q
}

// link answers a poll with the state, or nothing if it is what the page shows.
func (p *pages) link(r *kit.Request) error {
	page, err := p.loadConnection(r)
	if err != nil {
		return err
	}
	if r.Query("seen") == page.Version() {
		return unchanged(r)
	}
	return r.Part("connection", "link", page)
}

// qr answers with the picture to scan.
func (p *pages) qr(r *kit.Request) error {
	png, err := p.Connections.QR(r.Context(), r.Caller, r.ID)
	if errors.Is(err, connections.ErrNoQR) {
		return unchanged(r) // it was scanned just now, and the page is about to say so
	}
	return r.SendPicture(png, "image/png", err)
}

func (p *pages) connectAgain(r *kit.Request) error {
	_, err := p.Connections.Connect(r.Context(), r.Caller, r.ID)
	return p.connection.Submit(r, err, "connection.connecting")
}

func (p *pages) refresh(r *kit.Request) error {
	_, err := p.Connections.Refresh(r.Context(), r.Caller, r.ID)
	return p.connection.Submit(r, err, "connection.refreshed")
}

func (p *pages) logOut(r *kit.Request) error {
	_, err := p.Connections.Logout(r.Context(), r.Caller, r.ID)
	return p.connection.Submit(r, err, "connection.loggedout")
}

func (p *pages) delete(r *kit.Request) error {
	return p.connection.SubmitTo(r, p.Connections.Delete(r.Context(), r.Caller, r.ID, r.Text("force") != ""), connectionsPath, "connection.deleted")
}

func (p *pages) saveSettings(r *kit.Request) error {
	settings := &connections.Settings{Parameters: typedParameters(r)}
	settingsForm(settings).Take(r)
	settings.PerMinute = typedPace(r, settings.PerMinute)
	_, err := p.Connections.Update(r.Context(), r.Caller, r.ID, settings)
	return p.connection.Submit(r, err, "connection.saved", func(page *connectionPage) { refuseConnection(r, page.Settings, err) })
}

// test sends a test message and leads to its page, which shows what becomes of it.
func (p *pages) test(r *kit.Request) error {
	c, err := p.Connections.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return err
	}
	phone, err := kit.ReadPhone(r.Text("phone"))
	if err != nil {
		err = messaging.ErrInvalidRecipient
	}
	var id uuid.UUID
	if err == nil {
		id, _, err = p.Messages.SendTest(r.Context(), r.Caller, &messaging.Test{EntityID: c.EntityID, Recipient: phone, Language: r.Language, Key: r.Text("key")})
	}
	if err != nil {
		return p.connection.ShowRefusal(r, err, func(page *connectionPage) {
			page.Test.FillFrom(r).Refuse("phone")
		})
	}
	return r.Done(addressOf(id), "message.tested")
}
