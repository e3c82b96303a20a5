package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/org"
	"banca/models"
)

// devicesPath is where the devices of the organisation lie.
const devicesPath = "/admin/devices"

func (w *Web) registerDevices(g *gin.RouterGroup) {
	g.GET("", w.devices)
	g.GET("/:id", w.device)
	w.act(g, "/:id", "/name", w.nameDevice)
	w.act(g, "/:id", "/status", w.moveDevice)
	w.act(g, "/:id", "/sessions/:session/status", w.moveDeviceSession)
}

// needs admits users with a permission.
func (w *Web) needs(permission auth.Permission) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !visitOf(c).principal.May(permission) {
			w.refuse(c, http.StatusForbidden, "code.FORBIDDEN")
		}
	}
}

// devicesPage is the list of devices.
type devicesPage struct {
	Filter   url.Values
	Statuses []string
	Devices  []deviceRow
}

type deviceRow struct {
	devices.Device
	Entity string
}

// deviceStatuses are those a device can have.
func deviceStatuses() []string {
	return []string{models.StatusActive, models.StatusSuspended, models.StatusBlocked, models.StatusInactive}
}

func (w *Web) devices(c *gin.Context) {
	ctx, pager := c.Request.Context(), pageOf(c)
	asFile := pager.asFile(c)
	filter := &devices.DeviceFilter{Scope: scopeOf(c), Status: c.Query("status"), Text: strings.TrimSpace(c.Query("q")), Limit: pager.limit, Offset: pager.offset()}
	page := devicesPage{Filter: c.Request.URL.Query(), Statuses: deviceStatuses()}
	if code := strings.TrimSpace(c.Query("entity")); code != "" {
		id, err := w.deps.Org.ByCode(ctx, filter.Scope, code)
		if errors.Is(err, org.ErrEntityNotFound) {
			w.show(c, http.StatusOK, "devices", &view{Page: page, Problem: w.words[visitOf(c).language]["code.ENTITY_NOT_FOUND"]})
			return
		}
		if err != nil {
			w.stop(c, err)
			return
		}
		filter.EntityID = id
	}
	list, total, err := w.deps.Devices.Devices(ctx, filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	for i := range list {
		page.Devices = append(page.Devices, deviceRow{Device: list[i], Entity: w.entityName(c, list[i].EntityID)})
	}
	if asFile {
		w.sendDevices(c, page.Devices)
		return
	}
	w.show(c, http.StatusOK, "devices", &view{Page: page, Pager: pager.count(c.Request.URL, len(list), total)})
}

// sendDevices sends a list of devices as a file: times in UTC.
func (w *Web) sendDevices(c *gin.Context, list []deviceRow) {
	rows := make([][]string, len(list))
	for i := range list {
		d := &list[i]
		seen := ""
		if !d.LastSeen.IsZero() {
			seen = d.LastSeen.Format(time.RFC3339)
		}
		rows[i] = []string{d.Name, d.Entity, d.Status, seen, d.CreatedAt.Format(time.RFC3339), d.ID.String()}
	}
	w.sendCSV(c, "devices", []string{"label.name", "label.entity", "label.state", "label.last", "label.created", "label.id"}, rows)
}

// devicePage is one device with what happened to it.
type devicePage struct {
	devices.Device
	Entity   string
	InfoText string
	May      bool // change it
	Moves    []string
	Sessions []devices.Session
	Events   []devices.Event
}

// sessionsShown bounds the sessions on a device's page; older ones are in the API.
const sessionsShown = 20

func (w *Web) device(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showDevice(c, id, http.StatusOK, "")
	}
}

func (w *Web) showDevice(c *gin.Context, id uuid.UUID, status int, problem string) {
	ctx, p := c.Request.Context(), &visitOf(c).principal
	page := devicePage{May: p.May(auth.DevicesWrite)}
	var err error
	if page.Device, err = w.deps.Devices.Device(ctx, p.EntityPath, id); err == nil {
		page.Sessions, _, err = w.deps.Devices.Sessions(ctx, &devices.SessionFilter{Scope: p.EntityPath, DeviceID: id, Limit: sessionsShown})
	}
	if err == nil {
		page.Events, err = w.deps.Devices.Events(ctx, p.EntityPath, id)
	}
	if err != nil {
		w.stop(c, err)
		return
	}
	page.Entity, page.Moves = w.entityName(c, page.EntityID), devices.Statuses(page.Status)
	if text := string(page.Info); text != "{}" {
		page.InfoText = text
	}
	w.show(c, status, "device", &view{Page: page, Problem: problem})
}

// nameDevice gives a device another name.
func (w *Web) nameDevice(c *gin.Context) {
	w.changeDevice(c, "device.renamed", func(p *auth.Principal, id uuid.UUID) error {
		_, err := w.deps.Devices.Rename(c.Request.Context(), p, id, c.PostForm("name"))
		return err
	})
}

// mayActivate reports whether the form's new status is allowed: active requires a fresh confirmation. Otherwise it
// shows the page that asks for it.
func (w *Web) mayActivate(c *gin.Context) bool {
	return c.PostForm("status") != models.StatusActive || !visitOf(c).principal.May(auth.DevicesWrite) || w.confirmed(c)
}

// moveDevice moves a device to a status.
func (w *Web) moveDevice(c *gin.Context) {
	if !w.mayActivate(c) {
		return
	}
	w.changeDevice(c, "device.moved", func(p *auth.Principal, id uuid.UUID) error {
		_, err := w.deps.Devices.SetStatus(c.Request.Context(), p, id, c.PostForm("status"))
		return err
	})
}

// moveDeviceSession suspends, revives or ends a session of a device.
func (w *Web) moveDeviceSession(c *gin.Context) {
	if !w.mayActivate(c) {
		return
	}
	w.changeDevice(c, "device.session", func(p *auth.Principal, _ uuid.UUID) error {
		session, err := uuid.Parse(c.Param("session"))
		status := c.PostForm("status")
		if err != nil || (status != models.StatusActive && status != models.StatusSuspended && status != models.StatusInactive) {
			return devices.ErrSessionNotFound
		}
		_, err = w.deps.Devices.SetSessionStatus(c.Request.Context(), p, session, status)
		return err
	})
}

// changeDevice runs a change of a device and redirects to its page, with a notice, or shows the refusal there.
func (w *Web) changeDevice(c *gin.Context, done string, change func(p *auth.Principal, id uuid.UUID) error) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	p := &visitOf(c).principal
	if !p.May(auth.DevicesWrite) {
		w.refuse(c, http.StatusForbidden, "code.FORBIDDEN")
		return
	}
	err := change(p, id)
	if err == nil {
		w.done(c, devicesPath+"/"+id.String(), done)
		return
	}
	if status, words, known := w.refusal(c, err); known && status != http.StatusNotFound {
		w.showDevice(c, id, status, words)
		return
	}
	w.stop(c, err)
}
