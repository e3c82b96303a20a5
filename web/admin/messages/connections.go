package messages

import (
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/platform/sheet"
	"banca/web/kit"
)

type useRow struct {
	connections.Use

	pause *messaging.Pause // nil if the channel works, or belongs to an entity above the caller's
	link  string           // address of the connection's page; "" if it is not the caller's
}

// usesPage is what the list of connections shows besides its rows.
type usesPage struct {
	Writes  bool
	Default *defaultChannel // for the operator
	All     bool            // every entity is listed
}

// defaultChannel is the channel of entities without a connection.
type defaultChannel struct {
	Driver string
	Pause  *messaging.Pause
}

const everyEntity = "all"

func useFilter(r *kit.Request) (*kit.Filter, error) {
	show := kit.SelectField("show", "connections.show", []kit.Option{{Value: everyEntity, Text: r.T("connections.show.all")}})
	show.First = "connections.show.own"
	return &kit.Filter{
		Fields: []kit.FilterField{show, kit.SelectField("state", "label.state", r.States("connection", states()...)), kit.TextField("q", "label.name_or_code", 100)},
		Clear:  cleared(r), Reset: "messages.clear",
	}, nil
}

func (p *pages) useRows(r *kit.Request, w kit.Window) ([]useRow, int64, error) {
	f := &connections.UseFilter{Own: r.Query("show") != everyEntity, State: r.Query("state"), Search: r.Query("q")}
	list, total, err := p.Connections.Uses(r.Context(), r.Caller, f, w.Limit, w.Offset)
	if err != nil {
		return nil, 0, err
	}
	rows, ids := make([]useRow, len(list)), make([]uuid.UUID, 0, len(list))
	for i := range list {
		rows[i] = useRow{Use: list[i]}
		if list[i].OwnerID != uuid.Nil {
			rows[i].link = connectionAddress(list[i].Connection)
			ids = append(ids, list[i].Connection)
		}
	}
	pauses, err := p.Messages.Pauses(r.Context(), ids)
	for i := range rows {
		if pause, ok := pauses[rows[i].Connection]; ok && rows[i].link != "" && paused(&pause, rows[i].State) {
			rows[i].pause = &pause
		}
	}
	return rows, total, err
}

func (p *pages) usesPage(r *kit.Request, _ []useRow) (*usesPage, error) {
	page := &usesPage{Writes: r.May(auth.MessagingConnect), All: r.Query("show") == everyEntity}
	if !r.Caller.IsOperator() {
		return page, nil
	}
	page.Default = &defaultChannel{Driver: p.Connections.Configured.Driver}
	pauses, err := p.Messages.Pauses(r.Context(), []uuid.UUID{uuid.Nil})
	if pause, ok := pauses[uuid.Nil]; ok {
		page.Default.Pause = &pause
	}
	return page, err
}

func useColumns() []kit.Column[useRow] {
	return []kit.Column[useRow]{
		kit.WrapColumn("label.entity", func(u *useRow) string { return u.EntityName }).
			Below(func(v *kit.View, u *useRow) string { return v.T("type." + u.EntityType) }),
		{Title: "label.type", Words: func(v *kit.View, u *useRow) string { return v.T("type." + u.EntityType) }},
		{Title: "connection.one", Words: func(v *kit.View, u *useRow) string { return useCell(v, u).Text }, Cell: useCell},
		{Title: "label.state", Lead: true, Words: stateText, Cell: stateCell},
		kit.WordColumn("connection.driver", driverName).If(func(u *useRow) bool { return u.Driver != "" }),
		// A connection of an entity above has no link.
		kit.PhoneColumn("connection.phone", (*useRow).phone).If(func(u *useRow) bool { return u.link != "" }),
		{Title: "connection.waiting", Number: true, File: waitingOf, Cell: func(v *kit.View, u *useRow) kit.Cell {
			if u.pause == nil {
				return kit.None()
			}
			return kit.Text(v.Count(u.pause.Waiting))
		}},
	}
}

func driverName(v *kit.View, u *useRow) string {
	if u.Driver == "" {
		return ""
	}
	return driverText(v, u.Driver)
}

// phone is the number of the connection, for users who see its page.
func (u *useRow) phone() string {
	if u.link == "" {
		return ""
	}
	return u.Phone
}

func waitingOf(u *useRow) sheet.Cell {
	if u.pause == nil {
		return sheet.Cell{}
	}
	return sheet.Integer(u.pause.Waiting)
}

// useCell is the connection that an entity uses, marked where it is inherited.
func useCell(v *kit.View, u *useRow) kit.Cell {
	switch {
	case u.Connection == uuid.Nil:
		return kit.Cell{Text: v.T("connection.configured"), Style: "faint"}
	case u.OwnerID == uuid.Nil:
		return kit.Cell{Text: v.T("connection.inherited.above"), Style: "faint"}
	case u.Own():
		return kit.Wrap(u.Name)
	default:
		return kit.Wrap(u.Name).WithSecondLine(v.T("connection.inherited", u.OwnerName))
	}
}

func stateCell(v *kit.View, u *useRow) kit.Cell {
	if u.Connection == uuid.Nil {
		return kit.None()
	}
	return kit.Badges(stateBadges(v, u)...)
}

// stateBadges are the states of the connection that an entity uses.
func stateBadges(v *kit.View, u *useRow) []kit.Badge {
	list := []kit.Badge{v.State("connection", u.State)}
	if u.pause != nil {
		list = append(list, v.State("connection", "paused"))
	}
	return list
}

// stateText are the states of the connection in a file.
func stateText(v *kit.View, u *useRow) string {
	if u.Connection == uuid.Nil {
		return ""
	}
	var texts []string
	for _, badge := range stateBadges(v, u) {
		texts = append(texts, badge.Text)
	}
	return strings.Join(texts, ", ")
}
