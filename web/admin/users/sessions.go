package users

import (
	"net/url"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/web/kit"
)

// sessionsPage is the list of sessions.
type sessionsPage struct {
	Filter   url.Values
	Sessions []auth.Session
	Ends     bool
}

// sessionTable is a table of sessions on any page.
type sessionTable struct {
	Sessions []auth.Session
	Current  string // id of this visit's session
	Ends     bool   // they can be ended here
	Back     string // the page to redirect to
}

func (p *pages) sessionRows(r *kit.Request, w kit.Window) ([]auth.Session, int64, error) {
	f := &auth.SessionFilter{UserID: r.QueryID("user"), Limit: w.Limit, Offset: w.Offset}
	if active := r.Query("active"); active != "" {
		f.Active = new(active == "yes")
	}
	return p.Users.Sessions(r.Context(), r.Caller, f)
}

func (p *pages) sessionsPage(r *kit.Request, sessions []auth.Session) (*sessionsPage, error) {
	return &sessionsPage{Filter: r.Filter(), Sessions: sessions, Ends: r.May(auth.SessionsWrite)}, nil
}

// terminate ends a session and redirects to the page that it was listed on.
func (p *pages) terminate(r *kit.Request) error {
	if _, err := p.Users.TerminateSession(r.Context(), r.Caller, r.ID); err != nil {
		return err
	}
	back := sessionsPath
	switch r.Form("back") {
	case "account":
		back = accountPath
	case "user":
		if user := r.FormID("user"); user != uuid.Nil {
			back = path + "/" + user.String()
		}
	}
	return r.Done(back, "session.ended")
}
