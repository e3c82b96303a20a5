package messages

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/platform/sheet"
	"banca/internal/sales"
	"banca/internal/tickets"
	"banca/models"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// suggested bounds the suggestions of entities, and the connections of the filter.
const suggested = 20

type messageRow struct {
	models.MessageLog

	Entity  string
	tickets *sentence.Names
}

// ticket is the ticket of a message; the zero id without one.
func ticket(m *models.MessageLog) (id uuid.UUID) {
	if m.TicketID != nil {
		id = *m.TicketID
	}
	return id
}

// logPage is what the log shows besides its rows.
type logPage struct {
	News   string // address that returns the number of newer messages; "" if the page is not the first
	Resend string // address of the resend of what the filter selects; "" if it cannot be sent again
	Paused bool   // a connection, or the configured channel
}

// filterOf returns the filter in the address. Errors: org.ErrEntityNotFound, tickets.ErrNotFound.
func (p *pages) filterOf(r *kit.Request) (*messaging.Filter, error) {
	f := &messaging.Filter{Status: r.Query("status"), Kind: r.Query("kind"), ErrorCode: r.Query("code"), ChannelID: r.QueryID("channel")}
	f.From, f.To = r.QueryBounds("from", "to")
	if typed := r.Query("recipient"); typed != "" {
		f.Recipient = typed
		if phone, err := kit.ReadPhone(typed); err == nil {
			f.Recipient = phone
		} else {
			r.Warn(r.T("input.phone"))
		}
	}
	var err error
	if f.EntityID, err = kit.AskedEntity(r, "entity"); err != nil {
		return nil, err
	}
	if typed := r.Query("ticket"); typed != "" {
		f.TicketID, err = p.ticketOf(r, typed)
	}
	return f, err
}

// ticketOf finds a ticket by its id or its serial code. Errors: tickets.ErrNotFound.
func (p *pages) ticketOf(r *kit.Request, typed string) (uuid.UUID, error) {
	if id, err := uuid.Parse(typed); err == nil {
		return id, nil
	}
	list, _, err := p.Sales.List(r.Context(), r.Caller, sales.Filter{Serial: strings.ToUpper(typed), Limit: 1})
	switch {
	case err != nil:
		return uuid.Nil, err
	case len(list) == 0:
		return uuid.Nil, tickets.ErrNotFound
	}
	return list[0].ID, nil
}

func (p *pages) logRows(r *kit.Request, w kit.Window) ([]messageRow, int64, error) {
	f, err := p.filterOf(r)
	if err != nil {
		return nil, 0, warned(r, err)
	}
	list, total, err := p.Messages.ListPage(r.Context(), r.Caller, f, messaging.Window{Limit: w.Limit, Offset: w.Offset})
	if err != nil {
		return nil, 0, err
	}
	names := kit.EntityNames(r, list, func(m *models.MessageLog) uuid.UUID { return m.EntityID })
	tickets, err := sentence.NamesOf(r, p.Activity, nil, kit.Map(list, ticket)...)
	return kit.Map(list, func(m *models.MessageLog) messageRow { return messageRow{*m, names[m.EntityID], tickets} }), total, err
}

// warned shows the text of a filter that names nothing, above an empty list.
func warned(r *kit.Request, err error) error {
	if !kit.IsNotFound(err) {
		return err
	}
	if _, text, ok := r.Explain(err); ok {
		r.Warn(text)
	}
	return nil
}

func (p *pages) logFilter(r *kit.Request) (*kit.Filter, error) {
	fields := []kit.FilterField{
		kit.SelectField("status", "label.state", r.States("message", statuses()...)), kit.SelectField("kind", "message.kind", r.Options("message.kind.", kinds()...)),
		kit.TextField("recipient", "message.recipient", 20).Keyboard("tel"), kit.EntityField("entity", "label.entity"), ticketField(),
	}
	if status := r.Query("status"); status == models.MessageFailed || status == models.MessageUnknown || r.Query("code") != "" {
		fields = append(fields, kit.SelectField("code", "message.error", codeOptions(r)))
	}
	channels, err := p.channelOptions(r)
	if err != nil {
		return nil, err
	}
	if len(channels) > 1 || r.Query("channel") != "" {
		fields = append(fields, kit.SelectField("channel", "connection.one", channels))
	}
	fields = append(fields, kit.DateField("from", "label.from"), kit.DateField("to", "label.to"))
	views := []kit.SavedView{{Title: "word.all"}}
	for _, status := range []string{models.MessageFailed, models.MessageQueued} {
		_, count, err := p.Messages.ListPage(r.Context(), r.Caller, &messaging.Filter{Status: status}, messaging.Window{Limit: 1})
		if err != nil {
			return nil, err
		}
		views = append(views, kit.SavedView{Title: "messages.view." + status, Values: map[string]string{"status": status}, Rows: count})
	}
	return &kit.Filter{Views: views, Fields: fields, Clear: cleared(r), Reset: "messages.clear"}, nil
}

func ticketField() kit.FilterField { return kit.TextField("ticket", "message.ticket", 40) }

// cleared is the address of the list without a filter; "" if it has none.
func cleared(r *kit.Request) string {
	query := r.URL().Query()
	query.Del("lang")
	if len(query) == 0 {
		return ""
	}
	return r.URL().Path
}

// channelOptions are the connections of the caller's part of the organisation, and the one of the address.
func (p *pages) channelOptions(r *kit.Request) ([]kit.Option, error) {
	list, _, err := p.Connections.List(r.Context(), r.Caller, suggested, 0)
	if err != nil {
		return nil, err
	}
	options := make([]kit.Option, 0, len(list)+1)
	for i := range list {
		options = append(options, kit.Option{Value: list[i].ID.String(), Text: list[i].Name + " · " + list[i].EntityName})
	}
	if id := r.QueryID("channel"); id != uuid.Nil && !slices.ContainsFunc(options, func(o kit.Option) bool { return o.Value == id.String() }) {
		options = append(options, kit.Option{Value: id.String(), Text: r.T("message.channel.other")})
	}
	return options, nil
}

func (p *pages) logPage(r *kit.Request, rows []messageRow) (*logPage, error) {
	page := &logPage{}
	if r.AtTop() {
		page.News = kit.NewsAddress(r, path, kit.Map(rows, func(m *messageRow) uuid.UUID { return m.ID }))
	}
	if r.May(auth.MessagingResend) {
		if status := r.Query("status"); len(rows) > 0 && resendable(status) {
			page.Resend = resendsPath + "?" + resendQuery(r.URL().Query())
		}
	}
	var err error
	page.Paused, err = p.anyPaused(r)
	return page, err
}

// anyPaused reports whether a connection of the caller's part of the organisation is paused; for the operator, also the configured channel.
func (p *pages) anyPaused(r *kit.Request) (bool, error) {
	list, _, err := p.Connections.List(r.Context(), r.Caller, suggested, 0)
	if err != nil {
		return false, err
	}
	ids := kit.Map(list, func(c *connections.Connection) uuid.UUID { return c.ID })
	if r.Caller.IsOperator() {
		ids = append(ids, uuid.Nil)
	}
	pauses, err := p.Messages.Pauses(r.Context(), ids)
	return len(pauses) > 0, err
}

// resendQuery is the part of a list's address that selects what is sent again.
func resendQuery(query url.Values) string {
	kept := url.Values{}
	for _, name := range []string{"status", "kind", "code", "recipient", "entity", "ticket", "channel", "from", "to"} {
		if query.Get(name) != "" {
			kept.Set(name, query.Get(name))
		}
	}
	return kept.Encode()
}

// news answers the polls of an open page with the line above the list. The shown rows do not change.
func (p *pages) news(r *kit.Request) error {
	f, err := p.filterOf(r)
	if err != nil {
		return err
	}
	_, count, err := p.Messages.ListPage(r.Context(), r.Caller, f, messaging.Window{Limit: 1, After: r.QueryID("after")})
	if err != nil {
		return err
	}
	return kit.NewsPart(r, "log", path, count)
}

func logColumns() []kit.Column[messageRow] {
	return []kit.Column[messageRow]{
		kit.TimeColumn("label.created", func(m *messageRow) time.Time { return m.CreatedAt }),
		kit.BadgeColumn("label.state", func(v *kit.View, m *messageRow) kit.Badge { return badge(v, &m.MessageLog) }).Leading().
			Below(func(v *kit.View, m *messageRow) string {
				if m.Waiting { // the page says why, once
					return ""
				}
				return errorText(v, &m.MessageLog)
			}),
		kit.PhoneColumn("message.recipient", func(m *messageRow) string { return m.Recipient }),
		kit.WordColumn("message.kind", func(v *kit.View, m *messageRow) string { return kindText(v, m.Kind) }).
			Below(func(_ *kit.View, m *messageRow) string { return excerpt(m.Body) }),
		{
			Title: "message.ticket.one", Words: func(v *kit.View, m *messageRow) string { return m.tickets.Of(v, ticket(&m.MessageLog)).Text },
			Cell: func(v *kit.View, m *messageRow) kit.Cell {
				of := m.tickets.Of(v, ticket(&m.MessageLog))
				return kit.Mono(of.Text).To(of.Link)
			},
		},
		kit.WrapColumn("label.entity", func(m *messageRow) string { return m.Entity }),
		kit.WordColumn("message.error", func(v *kit.View, m *messageRow) string { return errorText(v, &m.MessageLog) }).FileOnly(),
		{Title: "message.code", Text: func(m *messageRow) string { return codeIn(&m.MessageLog) }},
		{
			Title: "message.attempts", Number: true, WideOnly: true, File: func(m *messageRow) sheet.Cell { return sheet.Integer(int64(m.Attempts)) },
			Cell: func(v *kit.View, m *messageRow) kit.Cell {
				cell := kit.Text(v.Count(m.Attempts))
				if m.RetryCount > 0 {
					cell = cell.WithSecondLine(v.N("message.resent.times", m.RetryCount))
				}
				return cell
			},
		},
		{Title: "message.resent", File: func(m *messageRow) sheet.Cell { return sheet.Integer(int64(m.RetryCount)) }},
		{Title: "label.id", Text: func(m *messageRow) string { return m.ID.String() }},
	}
}

// excerptLength bounds the characters of a text that a row of the log shows.
const excerptLength = 48

// excerpt is the beginning of the text of a message, up to the end of a word.
func excerpt(body string) string {
	text := strings.Join(strings.Fields(body), " ")
	letters := []rune(text)
	if len(letters) <= excerptLength {
		return text
	}
	text = string(letters[:excerptLength])
	if end := strings.LastIndexByte(text, ' '); end > 0 {
		text = text[:end]
	}
	return text + " …"
}

// badge is the status of a message, or that it waits for its channel.
func badge(v *kit.View, m *models.MessageLog) kit.Badge {
	if m.Waiting {
		return v.State("message", "waits")
	}
	return v.State("message", m.Status)
}

func kindText(v *kit.View, kind string) string {
	return v.FirstText("message.kind."+kind, "message.kind.other")
}

func codeIn(m *models.MessageLog) string {
	if m.ErrorCode == nil {
		return ""
	}
	return *m.ErrorCode
}

// errorText is the meaning of the error code of a message; "" without one.
func errorText(v *kit.View, m *models.MessageLog) string {
	if code := codeIn(m); code != "" {
		return codeText(v, code)
	}
	return ""
}
