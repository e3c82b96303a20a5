package web

import (
	"banca/internal/auth"
)

// With returns the view for a part of the page that shows other content.
func (v *view) With(content any) *view {
	part := *v
	part.Page = content
	return &part
}

// sessionRows is a table of sessions on any page.
type sessionRows struct {
	Sessions []auth.Session
	Current  string // id of this visit's session
	Ends     bool   // they can be ended here
	Back     string // the page to lead back to
}

// SessionRows returns the view for a table of sessions.
func (v *view) SessionRows(sessions []auth.Session, back string, ends bool) *view {
	return v.With(sessionRows{Sessions: sessions, Current: v.User.SessionID.String(), Ends: ends, Back: back})
}

// Did returns the badge of an action on a module; without words it shows their names.
func (v *view) Did(module, action string) badge {
	key := "did." + module + "." + action
	text := v.T(key)
	if text == key {
		text = module + " · " + action
	}
	tone := toneOff
	if action == "delete" || action == "remove" || action == "terminate" {
		tone = toneWaiting
	}
	return badge{Tone: tone, Text: text}
}
