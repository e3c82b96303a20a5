package org

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"banca/internal/agencies"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

const agencyPath = path + "/agency"

// agencyPage is the form that makes an agency with all it needs to sell, or what was made.
type agencyPage struct {
	Form  *kit.Form
	Copy  *kit.Form // finds an agency to copy from
	Key   string    // of idempotency
	Rates *ratesLine
	Money bool // the user may set credit
	Users bool // the user may make users
	Tools bool // the user may register devices

	Made *madeAgency // nil before

	parent     *org.Entity // nil as long as none is known
	sections   []agencySection
	currencies []ledger.Currency
}

func (p *pages) loadAgency(r *kit.Request) (*agencyPage, error) {
	page := &agencyPage{
		Key:   uuid.NewString(),
		Copy:  kit.NewForm(kit.EntityInput("copy", "agency.copy.of").WithRule("agency.copy.wrong", false)),
		Money: r.May(auth.WalletsCredit), Users: r.May(auth.UsersWrite), Tools: r.May(auth.DevicesWrite),
	}
	currencies, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	page.sections, page.currencies = page.declare(r, currencies), currencies
	var inputs []kit.Input
	for i := range page.sections {
		inputs = append(inputs, page.sections[i].inputs...)
	}
	page.Form = kit.NewForm(inputs...)
	if err := p.copyAgency(r, page); err != nil {
		return nil, err
	}
	for _, name := range []string{"parent", "agency", "agency_code", "agency_rate", "point", "point_code", "point_rate", "currency", "credit", "user", "identifier"} {
		if typed := r.Query(name); typed != "" {
			page.Form.Put(name, typed)
		}
	}
	if id := r.QueryID("parent"); id != uuid.Nil { // a link of the page of an entity
		parent, err := p.Org.Entity(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		page.Form.Put("parent", org.TextOf(parent.Name, parent.Code))
	}
	return page, p.loadParent(r, page)
}

// Copied reports whether an agency to copy from was named.
func (page *agencyPage) Copied() bool { return page.Copy.Get("copy") != "" }

// loadParent finds the entity of the form above the agency, and compares the rates with what it grants.
func (p *pages) loadParent(r *kit.Request, page *agencyPage) error {
	ctx, by, typed := r.Context(), r.Caller, page.Form.Get("parent")
	if typed == "" {
		return nil
	}
	id, err := p.Org.Named(ctx, by, typed)
	if kit.IsNotFound(err) {
		page.Rates = &ratesLine{Text: r.T("field.entity"), Wrong: true}
		return nil
	}
	if err != nil {
		return err
	}
	if page.parent, err = p.Org.Entity(ctx, by, id); err != nil {
		return err
	}
	holds, err := p.Org.Effective(ctx, by, id)
	if err != nil {
		return err
	}
	page.Rates = newRatesLine(r, page.parent, holds.Grants(), page.Form.Get("agency_rate"), page.Form.Get("point_rate"))
	return nil
}

// declare returns the fields of the form in their sections.
func (page *agencyPage) declare(r *kit.Request, currencies []ledger.Currency) []agencySection {
	name := func(part, label string) kit.Input {
		return kit.TextInput(part, label, 100).WithRule("field.name", false).Required().At(part + ".name")
	}
	code := func(part string) kit.Input {
		return kit.TextInput(part+"_code", "label.code", 32).With("spellcheck=false autocapitalize=characters").
			WithRule("agency.code.hint", true).At(part+".code", part+"."+org.ErrEntityExists.Code)
	}
	rate := func(part string) kit.Input {
		return kit.PercentInput(part+"_rate", "agency.rate").WithRule("agency.rate.hint", true).
			At(part + "." + org.GroupFinance + ".commissions")
	}
	const agency, point = agencies.PartAgency, agencies.PartPoint
	sections := []agencySection{
		{Key: "agency", inputs: []kit.Input{
			kit.EntityInput("parent", "agency.parent").WithRule("agency.parent.hint", true).Required().
				At(agency+"."+org.ErrEntityNotFound.Code, agency+"."+org.ErrTypeOrder.Code).
				At(point+"."+org.ErrEntityNotFound.Code, point+"."+org.ErrTypeOrder.Code),
			name(agency, "agency.name"), code(agency), rate(agency),
		}},
		{Key: "point", inputs: []kit.Input{name(point, "agency.point"), code(point), rate(point)}},
	}
	if page.Money {
		options := kit.OptionsOf(ledger.Active(currencies), func(c ledger.Currency) (value, text string) {
			return c.Code, c.Unit()
		})
		sections = append(sections, agencySection{Key: "credit", inputs: []kit.Input{
			kit.ChoiceInput("currency", "label.currency", options).At("credit." + ledger.ErrCurrencyNotFound.Code),
			kit.TextInput("credit", "agency.credit", 24).With("inputmode=decimal").WithRule("agency.credit.hint", true).
				At("credit." + money.ErrNegative.Code),
		}})
	}
	if page.Users {
		sections = append(sections, agencySection{Key: "user", inputs: []kit.Input{
			name("user", "agency.user"),
			kit.TextInput("identifier", "label.identifier", 200).With("autocapitalize=none spellcheck=false").
				WithRule("agency.identifier.hint", true).Required().At("user.identifier", "user.email"),
			kit.ChoiceInput("auth_method", "label.auth_method", r.Options("users.method.", models.AuthPassword, models.AuthWhatsApp)),
			kit.PhoneInput("phone", "label.phone").WithRule("agency.phone.hint", true).Either().At("user.phone"),
			kit.TextInput("password", "agency.password", 72).With("type=password autocomplete=new-password").
				WithRule("account.password.hint", true).Either().At("user.password", "user."+auth.ErrWeakPassword.Code),
		}})
	}
	if page.Tools {
		sections = append(sections, agencySection{Key: "device", inputs: []kit.Input{
			kit.TextInput("device", "agency.device", 100).WithRule("agency.device.hint", true).At("device.name"),
			kit.TextInput("fingerprint", "agency.fingerprint", 512).With("spellcheck=false class=mono").
				WithRule("agency.fingerprint.hint", true).At("device.fingerprint", "device."+devices.ErrDeviceExists.Code),
		}})
	}
	return sections
}

// Sections are the fields of the form under their titles.
func (page *agencyPage) Sections(v *kit.View) []agencySection {
	for i := range page.sections {
		section := &page.sections[i]
		section.Number, section.Fields = i+1, nil
		for j := range section.inputs {
			section.Fields = append(section.Fields, page.Form.Field(v, section.inputs[j].Name))
		}
	}
	return page.sections
}

// agencySection is a numbered part of the form.
type agencySection struct {
	Key    string
	Number int
	Fields []*kit.Field

	inputs []kit.Input
}

// Facts say what the form makes, as far as it is filled in.
func (page *agencyPage) Facts(v *kit.View) []kit.Fact {
	form, rates := page.Form, page.Rates
	if rates == nil {
		rates = &ratesLine{}
	}
	var facts []kit.Fact
	add := func(label string, texts ...string) {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		if len(texts) > 0 {
			facts = append(facts, kit.Fact{Name: v.T(label), Value: kit.Text(strings.Join(texts, " · "))})
		}
	}
	if page.parent != nil {
		add("agency.parent", page.parent.Name)
	}
	add("agency.step.agency", form.Get("agency"), codeFrom(form, "agency"))
	add("rate.commission", rates.Agency)
	add("agency.step.point", form.Get("point"), codeFrom(form, "point"))
	add("rate.commission", rates.Point)
	if page.Money && form.Get("credit") != "" {
		add("agency.step.credit", page.creditText(v))
	}
	if page.Users {
		add("agency.step.user", form.Get("user"), form.Get("identifier"))
	}
	add("limits.title", v.T("agency.limits"))
	return facts
}

// creditText is the typed credit as an amount of its currency; a text that is not an amount stays as typed.
func (page *agencyPage) creditText(v *kit.View) string {
	typed := page.Form.Get("credit")
	at := slices.IndexFunc(page.currencies, func(c ledger.Currency) bool { return c.Code == page.Form.Get("currency") })
	if at < 0 {
		return typed
	}
	amount, err := money.Parse(kit.Decimal(typed), page.currencies[at].Digits)
	if err != nil {
		return typed
	}
	return currency.Text(v, amount, page.currencies[at])
}

// Wrong are the fields with errors.
func (page *agencyPage) Wrong(v *kit.View) *kit.WrongFields { return page.Form.Summary(v) }

// codeOf makes a code of a name: "La Fortuna, 2" is "LA-FORTUNA-2".
func codeOf(name string) string {
	const longest = 32
	var b strings.Builder
	for _, c := range norm.NFD.String(strings.ToUpper(name)) {
		switch {
		case c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		case !unicode.Is(unicode.Mn, c) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	text := b.String()
	return strings.Trim(text[:min(len(text), longest)], "-")
}

// copyAgency fills the form in with the parent, the general commissions and the credit of the agency that the address
// names, as far as the user sees them.
func (p *pages) copyAgency(r *kit.Request, page *agencyPage) error {
	typed := r.Query("copy")
	if typed == "" {
		return nil
	}
	page.Copy.Put("copy", typed)
	ctx, by := r.Context(), r.Caller
	id, err := p.Org.Named(ctx, by, typed)
	if kit.IsNotFound(err) {
		page.Copy.Refuse("copy")
		return nil
	}
	if err != nil {
		return err
	}
	agency, err := p.Org.Entity(ctx, by, id)
	if err != nil {
		return err
	}
	if agency.Type != models.EntityAgency {
		page.Copy.Refuse("copy")
		return nil
	}
	parent, err := p.Org.Entity(ctx, by, agency.ParentID)
	switch {
	case err == nil:
		page.Form.Put("parent", org.TextOf(parent.Name, parent.Code))
	case !kit.IsNotFound(err): // the agency of the user has one out of scope
		return err
	}
	copyRate(r, page.Form, "agency_rate", agency)
	first := &org.EntityFilter{ParentID: id, Type: models.EntityTicketPoint, Sort: "code", Limit: 1}
	points, _, err := p.Org.Entities(ctx, by, first)
	if err != nil || len(points) == 0 {
		return err
	}
	copyRate(r, page.Form, "point_rate", &points[0])
	return p.copyCredit(r, page, &points[0])
}

// copyRate puts the commission that an entity sets for all bets.
func copyRate(r *kit.Request, form *kit.Form, field string, e *org.Entity) {
	for _, rule := range e.Finance.Commissions {
		if rate, err := kit.ReadPercent(rule.Percent); err == nil && rule.Category == "" && rule.BetType == "" {
			form.Put(field, r.Money(money.Amount(rate), 2))
		}
	}
}

// maxCopied bounds the wallets in which copyCredit looks for a credit.
const maxCopied = 10

// copyCredit puts the first credit of a ticket point with its currency.
func (p *pages) copyCredit(r *kit.Request, page *agencyPage, point *org.Entity) error {
	if !page.Money {
		return nil
	}
	of := &ledger.WalletFilter{EntityID: point.ID, Kind: models.WalletMain, Limit: maxCopied}
	wallets, _, err := p.Ledger.Wallets(r.Context(), r.Caller, of)
	if err != nil {
		return err
	}
	for i := range wallets {
		if wallets[i].CreditLimit == 0 {
			continue
		}
		currency, err := p.Ledger.CurrencyByID(r.Context(), wallets[i].CurrencyID)
		if err != nil {
			return err
		}
		page.Form.Put("currency", currency.Code).Put("credit", r.Money(wallets[i].CreditLimit, currency.Digits))
		return nil
	}
	return nil
}
