// Package devices has the pages of the devices of points of sale.
package devices

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const path = links.Devices

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list   kit.List[deviceRow, struct{}]
	device kit.Page[devicePage]
}

// Area returns the pages of devices.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[deviceRow, struct{}]{
		Template: "devices", File: "devices", Columns: columns(), Link: deviceAddress, Empty: "devices.empty", Rows: p.rows, Filter: filter,
	}
	p.device = kit.Page[devicePage]{Template: "device", Load: p.load}
	read, write := kit.Can(auth.DevicesRead), kit.Can(auth.DevicesWrite)
	return kit.Area{Templates: templates, Guide: "panel#users-and-customers", Routes: []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.organisation", "devices.title"),
		kit.Get(path+"/:id", read, p.device.Show),
		kit.Action(path+"/:id", "/name", write, p.rename),
		kit.Action(path+"/:id", "/status", write.SensitiveIf(activates), p.setStatus),
		kit.Action(path+"/:id", "/sessions/:session/status", write.SensitiveIf(activates), p.setSessionStatus),
	}}
}

// activates reports whether the form's new status is active, which requires a fresh confirmation.
func activates(r *kit.Request) bool { return r.Form("status") == models.StatusActive }

type deviceRow struct {
	devices.Device

	Entity string
}

// statuses are those a device can have.
func statuses() []string {
	return []string{models.StatusActive, models.StatusSuspended, models.StatusBlocked, models.StatusInactive}
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]deviceRow, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	list, total, err := p.Devices.Devices(r.Context(), r.Caller, &devices.DeviceFilter{
		EntityID: entity, Status: r.Query("status"), Text: r.Query("q"), Limit: w.Limit, Offset: w.Offset,
	})
	names := kit.EntityNames(r, list, func(d *devices.Device) uuid.UUID { return d.EntityID })
	return kit.Map(list, func(d *devices.Device) deviceRow { return deviceRow{*d, names[d.EntityID]} }), total, err
}

func filter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.TextField("q", "label.name", 100), kit.EntityField("entity", "label.entity"), kit.SelectField("status", "label.state", r.States("device", statuses()...)),
	}}, nil
}

// columns are those of the list.
func columns() []kit.Column[deviceRow] {
	return []kit.Column[deviceRow]{
		kit.TextColumn("label.name", func(d *deviceRow) string { return d.Name }),
		kit.TextColumn("label.entity", func(d *deviceRow) string { return d.Entity }),
		kit.StateColumn("device", func(d *deviceRow) string { return d.Status }),
		{Title: "label.connection", Cell: func(v *kit.View, d *deviceRow) kit.Cell { return kit.Badges(v.State("online", d.Online)) }},
		kit.TimeColumn("label.last", func(d *deviceRow) time.Time { return d.LastSeen }),
		kit.TimeColumn("label.created", func(d *deviceRow) time.Time { return d.CreatedAt }),
		{Title: "label.id", Text: func(d *deviceRow) string { return d.ID.String() }},
	}
}

func deviceAddress(d *deviceRow) string { return path + "/" + d.ID.String() }

// devicePage is one device with what happened to it.
type devicePage struct {
	devices.Device

	Entity   string
	InfoText string
	May      bool // change it
	Moves    []string
	Sessions kit.Rows
	Events   []devices.Event
}

// address is that of an action on the device.
func (p *devicePage) address(action string) string { return path + "/" + p.ID.String() + action }

// Rename is the form of another name.
func (p *devicePage) Rename(v *kit.View) *kit.Question {
	name := kit.NewForm(kit.TextInput("name", "label.name", 100).Required()).Put("name", p.Name)
	return v.Question(v.T("device.rename"), p.address("/name"), "", v.T("word.save")).WithForm(name)
}

func (p *devicePage) sessionColumns() []kit.Column[devices.Session] {
	columns := []kit.Column[devices.Session]{
		kit.TimeColumn("label.created", func(s *devices.Session) time.Time { return s.CreatedAt }),
		kit.StateColumn("devsession", func(s *devices.Session) string { return s.Status }),
		kit.BadgeColumn("label.connection", func(v *kit.View, s *devices.Session) kit.Badge { return v.State("online", s.Online) }),
		kit.TextColumn("label.user", func(s *devices.Session) string { return s.UserName }),
		kit.TimeColumn("label.last", func(s *devices.Session) time.Time { return s.LastSeen }),
		kit.WordColumn("label.reason", func(v *kit.View, s *devices.Session) string {
			return v.FirstText("devsession.reason." + s.EndReason)
		}),
	}
	if p.May {
		columns = append(columns, kit.Column[devices.Session]{Cell: p.endCell})
	}
	return columns
}

// endCell asks before a session ends.
func (p *devicePage) endCell(v *kit.View, s *devices.Session) kit.Cell {
	if s.Status == models.StatusInactive {
		return kit.None()
	}
	do := v.T("devsession.end")
	return v.QuestionCell(v.Question(do, p.address("/sessions/"+s.ID.String()+"/status"), v.T("devsession.end.ask", p.Name, s.UserName), do).
		With("status", models.StatusInactive).Irreversible(true))
}

// sessionsShown bounds the sessions on a device's page; older ones are in the API.
const sessionsShown = 20

func (p *pages) load(r *kit.Request) (*devicePage, error) {
	ctx, by := r.Context(), r.Caller
	device, err := p.Devices.Device(ctx, by, r.ID)
	if err != nil {
		return nil, err
	}
	page := &devicePage{Device: device, May: r.May(auth.DevicesWrite), Entity: kit.EntityName(r, device.EntityID), Moves: devices.Statuses(device.Status)}
	sessions, _, err := p.Devices.Sessions(ctx, r.Caller, &devices.SessionFilter{DeviceID: r.ID, Limit: sessionsShown})
	if err != nil {
		return nil, err
	}
	page.Sessions = kit.RowsOf(page.sessionColumns(), sessions, nil, "device.sessions.empty")
	if text := string(page.Info); text != "{}" {
		page.InfoText = text
	}
	page.Events, err = p.Devices.Events(ctx, by, r.ID)
	return page, err
}

func (p *pages) rename(r *kit.Request) error {
	_, err := p.Devices.Rename(r.Context(), r.Caller, r.ID, r.Form("name"))
	return p.after(r, err, "device.renamed")
}

func (p *pages) setStatus(r *kit.Request) error {
	_, err := p.Devices.SetStatus(r.Context(), r.Caller, r.ID, r.Form("status"))
	return p.after(r, err, "device.moved")
}

// setSessionStatus suspends, revives or ends a session of a device.
func (p *pages) setSessionStatus(r *kit.Request) error {
	session, err := r.ParamID("session")
	if err != nil {
		return err
	}
	status := r.Form("status")
	if status != models.StatusActive && status != models.StatusSuspended && status != models.StatusInactive {
		return devices.ErrSessionNotFound
	}
	_, err = p.Devices.SetSessionStatus(r.Context(), r.Caller, session, status)
	return p.after(r, err, "device.session")
}

// after answers a form of a device's page.
func (p *pages) after(r *kit.Request, err error, notice string) error {
	if kit.IsNotFound(err) {
		return err
	}
	return p.device.Submit(r, err, notice)
}
