package web

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/auth"
)

// activityPath is where the trail lies in the panel.
const activityPath = "/admin/activity"

func (w *Web) registerActivity(g *gin.RouterGroup) {
	g.GET("", w.activity)
	g.GET("/:id", w.activityEntry)
	write := g.Group("", w.may(auth.ActivityWrite))
	write.POST("", w.sameForm, w.writeActivity)
	w.guard(write, "/:id", "/correct", w.correctActivity)
	w.guard(write, "/:id", "/remove", w.removeActivity)
}

// activityPage is the trail.
type activityPage struct {
	Filter url.Values
	Log    []activity.Log
	Writes bool
	Typed  activity.Manual
}

func (w *Web) activity(c *gin.Context) { w.showActivity(c, http.StatusOK, "", activity.Manual{}) }

func (w *Web) showActivity(c *gin.Context, status int, problem string, typed activity.Manual) {
	pager := pageOf(c)
	asFile := pager.asFile(c)
	f := &activity.Filter{
		Scope: scopeOf(c), Module: c.Query("module"), Action: c.Query("action"), Target: strings.TrimSpace(c.Query("target")), Removed: c.Query("removed") != "",
		From: w.dayOf(c.Query("from"), 0), To: w.dayOf(c.Query("to"), 1), Limit: pager.limit, Offset: pager.offset(),
	}
	f.UserID, _ = uuid.Parse(c.Query("user")) // an invalid id means no filter
	list, total, err := w.deps.Activity.List(c.Request.Context(), f)
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendActivity(c, list)
		return
	}
	page := activityPage{Filter: c.Request.URL.Query(), Log: list, Writes: visitOf(c).principal.May(auth.ActivityWrite), Typed: typed}
	w.show(c, status, "activity", &view{Page: page, Problem: problem, Pager: pager.count(c.Request.URL, len(list), total)})
}

// dayOf returns the beginning of a business day, later days after text; an invalid day means no filter.
func (w *Web) dayOf(text string, later int) time.Time {
	day, err := time.ParseInLocation(time.DateOnly, text, w.deps.Zone)
	if err != nil {
		return time.Time{}
	}
	return day.AddDate(0, 0, later)
}

func (w *Web) sendActivity(c *gin.Context, list []activity.Log) {
	rows := make([][]string, len(list))
	for i := range list {
		l := &list[i]
		rows[i] = []string{
			l.At.UTC().Format(time.RFC3339), l.UserName, l.Entity, l.Module, l.Action, l.Target, l.Note, l.Address, string(l.Details), hex.EncodeToString(l.Hash), l.ID.String(),
		}
	}
	w.sendCSV(c, "activity", []string{
		"label.time", "label.user", "label.entity", "label.module", "label.action", "label.object", "label.note", "label.address", "label.details", "label.hash", "label.id",
	}, rows)
}

// activityEntryPage is one entry with its corrections.
type activityEntryPage struct {
	activity.Log
	Hash   string
	Story  []activity.Log
	Writes bool
}

func (w *Web) activityEntry(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showEntry(c, http.StatusOK, id, "")
	}
}

func (w *Web) showEntry(c *gin.Context, status int, id uuid.UUID, problem string) {
	entry, story, err := w.deps.Activity.Get(c.Request.Context(), scopeOf(c), id)
	if err != nil {
		w.stop(c, err)
		return
	}
	w.show(c, status, "activity-entry", &view{Problem: problem, Page: activityEntryPage{
		Log: *entry, Hash: hex.EncodeToString(entry.Hash), Story: story, Writes: visitOf(c).principal.May(auth.ActivityWrite) && !entry.Removed && entry.Amends == uuid.Nil,
	}})
}

// writeActivity adds a person's entry.
func (w *Web) writeActivity(c *gin.Context) {
	p := visitOf(c).principal
	m := activity.Manual{
		Scope: p.EntityPath, EntityID: p.EntityID, Module: strings.TrimSpace(c.PostForm("module")), Action: "note", Target: strings.TrimSpace(c.PostForm("target")),
		Note: strings.TrimSpace(c.PostForm("note")),
	}
	if _, err := w.deps.Activity.Write(c.Request.Context(), &m); err != nil {
		w.explain(c, err, func(status int, words string) { w.showActivity(c, status, words, m) })
		return
	}
	w.done(c, activityPath, "activity.written")
}

func (w *Web) correctActivity(c *gin.Context) {
	w.amendActivity(c, "activity.corrected", w.deps.Activity.Correct)
}

func (w *Web) removeActivity(c *gin.Context) {
	w.amendActivity(c, "activity.removed", w.deps.Activity.Remove)
}

func (w *Web) amendActivity(c *gin.Context, what string, amend func(ctx context.Context, scope string, id uuid.UUID, text string) (*activity.Log, error)) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if _, err := amend(c.Request.Context(), scopeOf(c), id, strings.TrimSpace(c.PostForm("note"))); err != nil {
		w.explain(c, err, func(status int, words string) { w.showEntry(c, status, id, words) })
		return
	}
	w.done(c, activityPath+"/"+id.String(), what)
}
