package web

import (
	"errors"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/activity"
	"banca/internal/auth"
)

// queuesPolicy is for the view of the queues, a program of others with scripts in its page. It may talk
// to this server only; the fonts it wants from elsewhere are left out.
const queuesPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// QueueViews are two forms of the view of the task queues, which checks nothing itself.
type QueueViews struct {
	Full     http.Handler
	ReadOnly http.Handler // shows no buttons; nil where there is no view
}

func (w *Web) registerQueues(g *gin.RouterGroup) {
	g.Any("", w.queues)
	g.Any("/*rest", w.queues)
}

// queues hands a request on to the view. It comes after signedIn and admin, and after begin, which refuses what other
// sites send. A change needs the permission queues:write and a password confirmed within the last minutes, and is in the
// activity log before it is made; everybody else gets the read-only view.
func (w *Web) queues(c *gin.Context) {
	c.Header("Content-Security-Policy", queuesPolicy)
	p := visitOf(c).principal
	view := w.deps.Queues.ReadOnly
	if p.May(auth.QueuesWrite) {
		switch err := w.deps.Auth.Confirmed(c.Request.Context(), p); {
		case err == nil:
			view = w.deps.Queues.Full
		case !errors.Is(err, auth.ErrConfirmationRequired):
			w.stop(c, err)
			return
		}
	}
	if !safe(c.Request.Method) && !w.mayChangeQueues(c, view) {
		return
	}
	view.ServeHTTP(c.Writer, c.Request)
}

// mayChangeQueues refuses a change without the permission or a fresh confirmation, and records the others. The view
// shows the refusal's text beside its button.
func (w *Web) mayChangeQueues(c *gin.Context, view http.Handler) bool {
	words := w.words[visitOf(c).language]
	switch p := visitOf(c).principal; {
	case !p.May(auth.QueuesWrite):
		c.String(http.StatusForbidden, words["code.FORBIDDEN"])
	case view == w.deps.Queues.ReadOnly:
		c.String(http.StatusForbidden, words["queues.unconfirmed"])
	default:
		if err := w.deps.Activity.Record(c.Request.Context(), queueChange(c.Request, &p)); err != nil {
			w.stop(c, err)
			return false
		}
		return true
	}
	return false
}

// queueChange is the entry of a change: "run", "archive_all", "pause" or, for the method, "delete", of a path as
// "default/archived_tasks/<id>".
func queueChange(r *http.Request, p *auth.Principal) activity.Entry {
	target := strings.TrimPrefix(r.URL.Path, QueuesPath+"/api/queues/")
	action := strings.ToLower(r.Method)
	if i := strings.LastIndexByte(path.Base(target), ':'); i >= 0 {
		base := path.Base(target)
		action = base[i+1:]
		target = strings.TrimSuffix(target, base[i:])
	}
	return activity.Entry{Module: "queues", Action: action, EntityID: p.EntityID, Target: target}
}
