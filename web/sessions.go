package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
)

// sessionsPath is where sessions lie in the panel.
const sessionsPath = "/admin/sessions"

func (w *Web) registerSessions(g *gin.RouterGroup) {
	g.GET("", w.may(auth.SessionsRead), w.sessions)
	w.act(g, "", "/:id/terminate", w.terminateSession)
}

// sessionsPage is the list of sessions.
type sessionsPage struct {
	Filter   url.Values
	Sessions []auth.Session
	Current  uuid.UUID // of this visit
	Ends     bool
}

func (w *Web) sessions(c *gin.Context) {
	pager, p := pageOf(c), visitOf(c).principal
	f := &auth.SessionFilter{Limit: pager.limit, Offset: pager.offset()}
	f.UserID, _ = uuid.Parse(c.Query("user")) // an invalid id means no filter
	if c.Query("active") != "" {
		active := c.Query("active") == "yes"
		f.Active = &active
	}
	list, total, err := w.deps.Users.Sessions(c.Request.Context(), p, f)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := sessionsPage{Filter: c.Request.URL.Query(), Sessions: list, Current: p.SessionID, Ends: p.May(auth.SessionsWrite)}
	w.show(c, http.StatusOK, "sessions", &view{Page: page, Pager: pager.count(c.Request.URL, len(list), total)})
}

// terminateSession ends a session and leads back to the page that it was listed on.
func (w *Web) terminateSession(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if _, err := w.deps.Users.TerminateSession(c.Request.Context(), visitOf(c).principal, id); err != nil {
		w.stop(c, err)
		return
	}
	back := sessionsPath
	switch c.PostForm("back") {
	case "account":
		back = accountPath
	case "user":
		if user, err := uuid.Parse(c.PostForm("user")); err == nil {
			back = usersPath + "/" + user.String()
		}
	}
	w.done(c, back, "session.ended")
}
