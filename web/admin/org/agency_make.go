package org

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/agencies"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/org"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

// madeAgency is what the page shows of a new agency.
type madeAgency struct {
	Parts    []agencyPart
	Key      string // of the device; "" if there is none, or if it was shown before
	Hidden   bool   // the key was shown before
	Repeated bool   // the form had been sent before
	Card     string // what the seller needs to know
	Share    string // the address that sends the card by WhatsApp
}

// agencyPart is a part of a new agency.
type agencyPart struct{ Kind, Name, Address string }

// makeAgency makes the agency of the form with all its parts, or nothing.
func (p *pages) makeAgency(r *kit.Request) error {
	page, err := p.loadAgency(r)
	if err != nil {
		return err
	}
	page.Form.FillFrom(r)
	if key := r.Text("key"); key != "" {
		page.Key = key
	}
	if err := p.loadParent(r, page); err != nil {
		return err
	}
	page.check(r)
	password := r.Form("password")
	if page.Form.Get("auth_method") == models.AuthWhatsApp {
		password = ""
	}
	page.Form.Put("password", "") // which no page shows again
	if !page.Form.Valid() {
		return r.Write(http.StatusUnprocessableEntity, "agency", page, r.T("agency.wrong"))
	}
	made, replayed, err := p.Agencies.Make(r.Context(), r.Caller, page.request(r, password))
	if err != nil {
		return page.refuse(r, err)
	}
	page.Made = p.madeAgency(r, page, made)
	page.Made.Repeated = replayed
	return r.Write(http.StatusOK, "agency", page, "")
}

// check marks the fields that are wrong before anything is asked for.
func (page *agencyPage) check(r *kit.Request) {
	form := page.Form
	if form.Get("parent") != "" && page.parent == nil {
		form.RefuseFor("parent", r.T("field.entity"))
		page.Rates = nil // the field says it
	}
	form.Check()
	for _, name := range []string{"agency_rate", "point_rate"} {
		if _, err := kit.ReadPercent(form.Get(name)); err != nil && form.Get(name) != "" {
			form.RefuseFor(name, r.T("input.percent"))
		}
	}
	for code, name := range map[string]string{"agency_code": "agency", "point_code": "point"} {
		if form.Get(code) == "" && codeOf(form.Get(name)) == "" && form.Get(name) != "" {
			form.RefuseFor(code, r.T("field.code"))
		}
	}
	if codeFrom(form, "agency") == codeFrom(form, "point") && form.Get("point") != "" {
		form.RefuseFor("point_code", r.T("agency.code.same"))
	}
	method, needs := form.Get("auth_method"), "password"
	if method == models.AuthWhatsApp {
		needs = "phone"
	}
	if page.Users && form.Get(needs) == "" && (method != "" || form.Get("phone") == "") {
		form.RefuseFor(needs, r.T("agency.password.none"))
	}
	if page.Tools && (form.Get("device") == "") != (form.Get("fingerprint") == "") {
		form.RefuseFor("fingerprint", r.T("agency.device.both"))
	}
}

// codeFrom returns the typed code of an entity, or the one made of its name.
func codeFrom(form *kit.Form, name string) string {
	if code := form.Get(name + "_code"); code != "" {
		return code
	}
	return codeOf(form.Get(name))
}

// request returns what a valid form asks for.
func (page *agencyPage) request(r *kit.Request, password string) *agencies.Request {
	form := page.Form
	request := &agencies.Request{
		ParentID: page.parent.ID, Agency: entityFrom(form, "agency"), Point: entityFrom(form, "point"), IdempotencyKey: page.Key,
	}
	if page.Money && form.Get("credit") != "" {
		amount := kit.Decimal(form.Get("credit"))
		request.Credit = &agencies.Credit{Currency: form.Get("currency"), Amount: amount, Reason: r.T("agency.reason")}
	}
	if page.Users {
		method := models.AuthWhatsApp
		if password != "" {
			method = models.AuthPassword
		}
		request.User = &auth.NewUser{
			Name: form.Get("user"), Identifier: form.Get("identifier"), Phone: form.Get("phone"),
			Role: models.RoleTaquilla, AuthMethod: method, Password: password,
		}
	}
	if page.Tools && form.Get("fingerprint") != "" {
		request.Device = &devices.NewDevice{Name: form.Get("device"), Fingerprint: form.Get("fingerprint")}
	}
	return request
}

func entityFrom(form *kit.Form, name string) agencies.Entity {
	e := agencies.Entity{Name: form.Get(name), Code: codeFrom(form, name)}
	if rate, err := kit.ReadPercent(form.Get(name + "_rate")); err == nil {
		e.Percent = money.Amount(rate).Format(2)
	}
	return e
}

// refuse shows the form with the fields that an error is about. It returns an error that the user cannot correct.
func (page *agencyPage) refuse(r *kit.Request, err error) error {
	refused, named := errors.AsType[agencies.RefusedError](err)
	if !named {
		refused = agencies.RefusedError{{Err: err}}
	}
	status, problem := 0, ""
	for _, part := range refused {
		code, text, ok := r.Explain(part.Err)
		if !ok {
			return err
		}
		status, problem = code, text
		if named {
			page.refusePart(r, part, text)
		}
	}
	if len(refused) > 1 {
		problem = r.T("agency.wrong")
	}
	if len(refused) > 1 || status == http.StatusNotFound {
		status = http.StatusUnprocessableEntity
	}
	switch {
	case errors.Is(err, idempotency.ErrKeyReused):
		page.Key = uuid.NewString() // another agency than the one that was made may be meant
	case errors.Is(err, idempotency.ErrUnknownOutcome):
		problem = r.T("agency.unknown")
	}
	return r.Write(status, "agency", page, problem)
}

// refusePart marks the fields of a refused part.
func (page *agencyPage) refusePart(r *kit.Request, part agencies.Refusal, text string) {
	if excess, ok := errors.AsType[*org.ExcessError](part.Err); ok {
		worst := slices.MinFunc(excess.Violations, func(a, b org.RateViolation) int { return int(a.Allowed - b.Allowed) })
		page.Form.RefuseFor(part.Part+"_rate", excessText(r, part.Part, page.parent, worst.Percent, worst.Allowed))
		return
	}
	field := part.Part
	if field == agencies.PartDevice {
		field = "fingerprint"
	}
	if !page.Form.RefusePart(part.Err, part.Part) {
		page.Form.RefuseFor(field, text)
	}
}

// madeAgency returns what the page shows of a new agency.
func (p *pages) madeAgency(r *kit.Request, page *agencyPage, made *agencies.Made) *madeAgency {
	form, m := page.Form, &madeAgency{Key: made.Key, Hidden: made.Device != uuid.Nil && made.Key == ""}
	add := func(kind string, id uuid.UUID, name, address string) {
		if id != uuid.Nil {
			m.Parts = append(m.Parts, agencyPart{Kind: kind, Name: name, Address: address + "/" + id.String()})
		}
	}
	add("agency", made.Agency, form.Get("agency"), path)
	add("point", made.Point, form.Get("point"), path)
	add("credit", made.Wallet, form.Get("credit")+" "+form.Get("currency"), links.Wallets)
	add("user", made.User, form.Get("user"), links.Users)
	add("device", made.Device, form.Get("device"), links.Devices)
	if made.User != uuid.Nil {
		m.Card, m.Share = p.card(r, form, made.AuthMethod)
	}
	return m
}

// card returns what the seller needs to know to log in, never the password, and the address that sends it by WhatsApp.
func (p *pages) card(r *kit.Request, form *kit.Form, method string) (text, share string) {
	number, err := kit.ReadPhone(form.Get("phone"))
	login := r.T("agency.card.password")
	if method == models.AuthWhatsApp && err == nil {
		login = r.Say("agency.card.code", number)
	}
	text = r.Say("agency.card", form.Get("agency"), form.Get("point"), p.counterURL, form.Get("identifier"), login)
	query := strings.ReplaceAll(url.QueryEscape(text), "+", "%20") // WhatsApp shows a plus sign as it is
	return text, "https://wa.me/" + strings.TrimPrefix(number, "+") + "?text=" + query
}

// ratesLine says what the entity above grants, and what the agency and its ticket point get of it.
type ratesLine struct {
	Text          string
	Agency, Point string
	Wrong         bool // a commission exceeds the one of the entity above
}

// heldRate is the commission of a new entity: the typed one, or what it inherits.
type heldRate struct {
	org.RateRange

	own bool
}

// readRate reads a commission; a text that is no percentage counts as none.
func readRate(typed string, inherited org.RateRange) heldRate {
	if rate, err := kit.ReadPercent(typed); err == nil {
		return heldRate{RateRange: org.RateRange{Least: rate, Most: rate}, own: true}
	}
	return heldRate{RateRange: inherited}
}

// newRatesLine compares typed commissions with what the parent grants. An entity below the operator inherits nothing.
func newRatesLine(r *kit.Request, parent *org.Entity, granted org.RateRange, agencyRate, pointRate string) *ratesLine {
	inherited := granted
	if parent.ParentID == uuid.Nil {
		inherited = org.RateRange{}
	}
	agency := readRate(agencyRate, inherited)
	point := readRate(pointRate, agency.RateRange)
	rates := &ratesLine{Agency: agency.text(r), Point: point.text(r)}
	rates.Text = r.Say("agency.line", parent.Name, rangeText(r, granted), rates.Agency, rates.Point)
	left := org.RateRange{}
	switch {
	case agency.own && agency.Least > granted.Least:
		rates.Text, rates.Wrong = rates.Text+". "+excessText(r, "agency", parent, agency.Least, granted.Least), true
		return rates
	case point.own && point.Least > agency.Least:
		rates.Text, rates.Wrong = rates.Text+". "+excessText(r, "point", parent, point.Least, agency.Least), true
		return rates
	case point.own:
		left = org.RateRange{Least: agency.Least - point.Least, Most: agency.Most - point.Least}
	}
	rates.Text += r.Say("agency.line.left", rangeText(r, left))
	return rates
}

func (h heldRate) text(r *kit.Request) string {
	if h.own {
		return rangeText(r, h.RateRange)
	}
	return r.Say("agency.line.inherits", rangeText(r, h.RateRange))
}

func rangeText(r *kit.Request, rates org.RateRange) string {
	if rates.Least == rates.Most {
		return shortPercent(r, rates.Least)
	}
	return r.Say("agency.line.range", shortPercent(r, rates.Least), shortPercent(r, rates.Most))
}

// shortPercent is a percentage without needless decimals: "15 %" and "12,5 %".
func shortPercent(r *kit.Request, rate money.BasisPoints) string {
	return strings.TrimRight(strings.TrimRight(r.Money(money.Amount(rate), 2), "0"), ".,") + " %"
}

// excessText names the numbers of a commission of a part that exceeds the one of the entity above.
func excessText(r *kit.Request, part string, parent *org.Entity, wanted, allowed money.BasisPoints) string {
	if part == "agency" {
		return r.Say("agency.excess.agency", shortPercent(r, wanted), parent.Name, shortPercent(r, allowed))
	}
	return r.Say("agency.excess.point", shortPercent(r, wanted), shortPercent(r, allowed))
}
