package users

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/sheet"
	"banca/web/admin/parts/age"
	"banca/web/admin/parts/program"
	"banca/web/kit"
)

// sessionRow is a session with what the table does with it.
type sessionRow struct {
	auth.Session

	Current bool   // the session of this visit
	Ends    bool   // the caller can end it here
	Back    string // the page to redirect to
}

// sessionRows returns the rows of sessions on a page.
func sessionRows(r *kit.Request, sessions []auth.Session, back string, ends bool) []sessionRow {
	return kit.Map(sessions, func(s *auth.Session) sessionRow {
		current := s.ID == r.Caller.SessionID
		return sessionRow{Session: *s, Current: current, Ends: ends && s.Active && !current, Back: back}
	})
}

// name names the program and the system of the session.
func (s *sessionRow) name(v *kit.View) string { return program.Of(s.Client.UserAgent).Text(v) }

// place returns where the session comes from: the place that the client told, and its address.
func (s *sessionRow) place() string {
	if s.Client.Location == "" {
		return s.Client.Address
	}
	return s.Client.Location + " · " + s.Client.Address
}

// state returns the state of the session.
func (s *sessionRow) state() string {
	if s.Active {
		return "active"
	}
	return cmp.Or(s.EndReason, "expired")
}

// seen says how long ago the session sent its last request.
func (s *sessionRow) seen(v *kit.View) string {
	ago := v.Now().Sub(s.LastSeenAt)
	if s.Current || ago < seenNow {
		return v.T("sessions.now")
	}
	return v.T("health.ago", age.Text(v, ago))
}

// seenNow is the time after the last request in which a session is in use.
const seenNow = time.Minute

// end asks whether to end the session, which it names.
func (s *sessionRow) end(v *kit.View) *kit.Question {
	return v.Question(v.T("sessions.end"), sessionsPath+"/"+s.ID.String()+"/terminate", v.T("sessions.end.ask", s.UserName), v.T("sessions.end.do")).
		Fact("sessions.session", kit.Text(s.name(v))).Fact("sessions.place", kit.Text(s.place())).Fact("sessions.seen", kit.Text(s.seen(v))).
		With("back", s.Back).With("user", s.UserID.String()).Irreversible(true)
}

// ownSessionColumns are the columns of the sessions of one user.
func ownSessionColumns() []kit.Column[sessionRow] {
	return slices.DeleteFunc(sessionColumns(), func(c kit.Column[sessionRow]) bool { return c.Title == "label.user" })
}

func sessionColumns() []kit.Column[sessionRow] {
	return []kit.Column[sessionRow]{
		{Title: "sessions.session", Words: func(v *kit.View, s *sessionRow) string { return s.name(v) }, Cell: func(v *kit.View, s *sessionRow) kit.Cell {
			cell := kit.Wrap(s.name(v)).WithSecondLine(s.place())
			if s.Current {
				cell.Badges = []kit.Badge{{Tone: kit.ToneOK, Text: v.T("sessions.this")}}
			}
			return cell
		}},
		{Title: "sessions.place", Text: (*sessionRow).place},
		kit.TextColumn("label.user", func(s *sessionRow) string { return s.UserName }).
			To(func(s *sessionRow) string { return path + "/" + s.UserID.String() }),
		{Title: "sessions.seen", Cell: func(v *kit.View, s *sessionRow) kit.Cell { return kit.Text(s.seen(v)) }},
		{Title: "sessions.seen", File: func(s *sessionRow) sheet.Cell { return sheet.Time(s.LastSeenAt) }},
		kit.TimeColumn("label.begun", func(s *sessionRow) time.Time { return s.CreatedAt }).OnWide(),
		kit.TimeColumn("label.ends", func(s *sessionRow) time.Time {
			if s.EndedAt != nil {
				return *s.EndedAt
			}
			return s.ExpiresAt
		}).OnWide(),
		kit.StateColumn("session", (*sessionRow).state),
		{Cell: func(v *kit.View, s *sessionRow) kit.Cell {
			if !s.Ends {
				return kit.None()
			}
			return v.QuestionCell(s.end(v))
		}},
	}
}

func (p *pages) listSessions(r *kit.Request, w kit.Window) ([]sessionRow, int64, error) {
	f := &auth.SessionFilter{UserID: r.QueryID("user"), Limit: w.Limit, Offset: w.Offset}
	if active := r.Query("active"); active != "" {
		f.Active = new(active == "yes")
	}
	list, total, err := p.Auth.Sessions(r.Context(), r.Caller, f)
	return sessionRows(r, list, "", r.May(auth.SessionsWrite)), total, err
}

func sessionFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.HiddenIDField("user"), kit.SelectField("active", "label.state", []kit.Option{
			{Value: "yes", Text: r.T("state.session.active")}, {Value: "no", Text: r.T("sessions.over")},
		}),
	}}, nil
}

// terminate ends a session and redirects to the page that it was listed on.
func (p *pages) terminate(r *kit.Request) error {
	if _, err := p.Auth.TerminateSession(r.Context(), r.Caller, r.ID); err != nil {
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
