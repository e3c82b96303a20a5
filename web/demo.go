package web

import (
	"net/url"
	"time"

	"banca/web/kit"
)

// Demo is a demonstration, whose login page shows logins with their passwords.
type Demo struct {
	Logins []Login
	Reset  time.Time // when all data is replaced; the zero time for never
}

// Login is a user of a demonstration.
type Login struct{ Name, Password, Role, Person, Place string }

// demoParam names the login that fills the form.
const demoParam = "demo"

// filledWith returns the page with the form filled with a login of the demonstration, if there is one of this name.
func (p loginPage) filledWith(name string) loginPage {
	if p.Demo == nil || name == "" {
		return p
	}
	for _, l := range p.Demo.Logins {
		if l.Name == name {
			p.Name, p.Filled = l.Name, l.Password
		}
	}
	return p
}

// DemoLink is the address of the form filled with a login of the demonstration.
func (p loginPage) DemoLink(l Login) string {
	return loginPath + "?" + url.Values{demoParam: {l.Name}, "next": {p.Next}}.Encode()
}

// DemoText says that the data is made up, and when it is replaced.
func (p loginPage) DemoText(v *kit.View) string {
	if p.Demo.Reset.IsZero() {
		return v.T("demo.text")
	}
	return v.T("demo.reset", v.TimeOfDay(p.Demo.Reset))
}
