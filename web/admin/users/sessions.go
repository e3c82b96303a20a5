package users

import (
	"github.com/google/uuid"

	"banca/internal/auth"
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
	rows := make([]sessionRow, len(sessions))
	for i, s := range sessions {
		current := s.ID == r.Caller.SessionID
		rows[i] = sessionRow{Session: s, Current: current, Ends: ends && s.Active && !current, Back: back}
	}
	return rows
}

func sessionColumns() []kit.Column[sessionRow] {
	return []kit.Column[sessionRow]{
		{Title: "label.user", Cell: func(_ *kit.View, s *sessionRow) kit.Cell {
			return kit.Text(s.UserName).To(path + "/" + s.UserID.String())
		}},
		{Title: "label.state", Cell: func(v *kit.View, s *sessionRow) kit.Cell {
			switch {
			case s.Active:
				return kit.Badges(v.State("session", "active"))
			case s.EndReason != "":
				return kit.Badges(v.State("session", s.EndReason))
			default:
				return kit.Badges(v.State("session", "expired"))
			}
		}},
		{Title: "label.begun", Cell: func(v *kit.View, s *sessionRow) kit.Cell { return v.At(s.CreatedAt) }},
		{Title: "label.ends", Cell: func(v *kit.View, s *sessionRow) kit.Cell {
			if s.EndedAt != nil {
				return v.At(*s.EndedAt)
			}
			return v.At(s.ExpiresAt)
		}},
		{Title: "label.address", Cell: func(_ *kit.View, s *sessionRow) kit.Cell { return kit.Mono(s.Client.Address) }},
		{Title: "label.program", Priority: kit.WideOnly, Cell: func(_ *kit.View, s *sessionRow) kit.Cell { return kit.Wrap(s.Client.UserAgent) }},
		{Cell: func(v *kit.View, s *sessionRow) kit.Cell {
			switch {
			case s.Current:
				return kit.Text(v.T("sessions.this"))
			case s.Ends:
				return v.ButtonCell(v.ActionButton(sessionsPath+"/"+s.ID.String()+"/terminate", v.T("sessions.end")).With("back", s.Back).With("user", s.UserID.String()))
			default:
				return kit.None()
			}
		}},
	}
}

func (p *pages) listSessions(r *kit.Request, w kit.Window) ([]sessionRow, int64, error) {
	f := &auth.SessionFilter{UserID: r.QueryID("user"), Limit: w.Limit, Offset: w.Offset}
	if active := r.Query("active"); active != "" {
		f.Active = new(active == "yes")
	}
	list, total, err := p.Users.Sessions(r.Context(), r.Caller, f)
	return sessionRows(r, list, "", r.May(auth.SessionsWrite)), total, err
}

func sessionFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.HiddenField("user"), kit.SelectField("active", "label.state", []kit.Option{
			{Value: "yes", Text: r.T("state.session.active")}, {Value: "no", Text: r.T("sessions.over")},
		}),
	}}, nil
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
