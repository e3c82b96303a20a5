package web

import (
	"net/url"
	"time"

	"banca/models"
	"banca/web/kit"
	"banca/web/pos"
)

// Demo is a demonstration, whose login page shows logins with their passwords.
type Demo struct {
	Logins []Login
	Reset  time.Time // when all data is replaced; the zero time for never
}

// Login is a user of a demonstration.
type Login struct{ Name, Password, Role, Person, Place string }

// nameParam is the name in the form of the login.
const nameParam = "name"

// filledWith returns the page with a name in the form, and with its password if it is of the demonstration. At the counter a
// demonstration's cashier is filled in without a name.
func (p loginPage) filledWith(name string) loginPage {
	p.Name = name
	if p.Demo == nil {
		return p
	}
	for _, l := range p.Demo.Logins {
		if l.Name == name || name == "" && p.Next == pos.Path && l.Role == models.RoleTaquilla {
			p.Name, p.Filled = l.Name, l.Password
		}
	}
	return p
}

// DemoLink is the address of the form filled with a login of the demonstration.
func (p loginPage) DemoLink(l Login) string {
	return loginPath + "?" + url.Values{nameParam: {l.Name}, "next": {p.Next}}.Encode()
}

// DemoText says that the data is made up, and when it is replaced.
func (p loginPage) DemoText(v *kit.View) string {
	if p.Demo.Reset.IsZero() {
		return v.T("demo.text")
	}
	return v.T("demo.reset", v.TimeOfDay(p.Demo.Reset))
}
