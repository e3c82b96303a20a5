package org

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
	"banca/models"
)

// Names of the groups of settings; each is a column of entities.
const (
	GroupFinance   = "finance_info"
	GroupConfig    = "config_info"
	GroupLegal     = "legal_info"
	GroupPrint     = "print_info"
	GroupSocial    = "social_info"
	GroupMessaging = "messaging_settings"
	GroupContact   = "contact_info"
	GroupLocation  = "location_info"
)

// LegalInfo is the legal identity of an entity.
type LegalInfo struct {
	BusinessName           string `json:"business_name,omitempty"`
	TaxID                  string `json:"tax_id,omitempty"`
	Representative         string `json:"representative,omitempty"`
	RepresentativeDocument string `json:"representative_document,omitempty"`
	License                string `json:"license,omitempty"`
	Registry               string `json:"registry,omitempty"`
}

// SocialInfo is the website and the social media accounts of an entity.
type SocialInfo struct {
	Website   string `json:"website,omitempty"`
	Instagram string `json:"instagram,omitempty"`
	Facebook  string `json:"facebook,omitempty"`
	TikTok    string `json:"tiktok,omitempty"`
	X         string `json:"x,omitempty"`
	Telegram  string `json:"telegram,omitempty"`
	WhatsApp  string `json:"whatsapp,omitempty"`
}

// MessagingSettings are the settings of an entity's messages.
type MessagingSettings struct {
	Enabled       *bool  `json:"enabled,omitempty"`       // messages to customers
	Receipts      *bool  `json:"receipts,omitempty"`      // to customers
	Cancellations *bool  `json:"cancellations,omitempty"` // to customers
	Prizes        *bool  `json:"prizes,omitempty"`        // to customers
	Results       *bool  `json:"results,omitempty"`       // of a day, to customers who played on it
	Closes        *bool  `json:"closes,omitempty"`        // to the entity's contact
	Settlements   *bool  `json:"settlements,omitempty"`   // to the entity's contact
	Language      string `json:"language,omitempty"`      // es or en
	Greeting      string `json:"greeting,omitempty"`
	Signature     string `json:"signature,omitempty"`
}

// fillFrom adds the values that are missing.
func (m *MessagingSettings) fillFrom(parent *MessagingSettings) {
	for _, s := range []struct{ own, inherited **bool }{
		{&m.Enabled, &parent.Enabled}, {&m.Receipts, &parent.Receipts}, {&m.Cancellations, &parent.Cancellations}, {&m.Prizes, &parent.Prizes},
		{&m.Results, &parent.Results}, {&m.Closes, &parent.Closes}, {&m.Settlements, &parent.Settlements},
	} {
		if *s.own == nil {
			*s.own = *s.inherited
		}
	}
	m.Language = cmp.Or(m.Language, parent.Language)
	m.Greeting = cmp.Or(m.Greeting, parent.Greeting)
	m.Signature = cmp.Or(m.Signature, parent.Signature)
}

// ContactInfo is the contact person of an entity, with telephone numbers and e-mail address.
type ContactInfo struct {
	Person         string `json:"person,omitempty"`
	Phone          string `json:"phone,omitempty"`
	AlternatePhone string `json:"alternate_phone,omitempty"`
	Email          string `json:"email,omitempty"`
}

// LocationInfo is the address and the coordinates of an entity.
type LocationInfo struct {
	Country      string `json:"country,omitempty"`
	State        string `json:"state,omitempty"`
	Municipality string `json:"municipality,omitempty"`
	City         string `json:"city,omitempty"`
	Address      string `json:"address,omitempty"`
	PostalCode   string `json:"postal_code,omitempty"`
	Latitude     string `json:"latitude,omitempty"`
	Longitude    string `json:"longitude,omitempty"`
}

// Group is a change of a group of settings. A null value removes a key, so that it is inherited again. A missing key is
// not changed.
type Group map[string]jsontext.Value

// Groups are groups of settings by name.
type Groups map[string]Group

// Bounds of the values of settings.
const (
	maxText      = 200
	maxShort     = 40
	maxLines     = 10
	maxRules     = 200
	maxLocation  = 120
	maxDay       = 24 * 60 * 60
	maxCancels   = 100_000
	maxExpiry    = 365 * 24
	maxTokens    = 1_000_000_000
	maxConfirmed = 1_000_000_000
	topUpDigits  = 2
	maxLatitude  = 90
	maxLongitude = 180
)

// group is a decoded group of settings. check reports its invalid keys to c.
type group interface{ check(c *checker) }

// newGroup returns an empty group, or nil for an unknown name.
func newGroup(name string) group {
	switch name {
	case GroupFinance:
		return &Finance{}
	case GroupConfig:
		return &Config{}
	case GroupLegal:
		return &LegalInfo{}
	case GroupPrint:
		return &PrintInfo{}
	case GroupSocial:
		return &SocialInfo{}
	case GroupMessaging:
		return &MessagingSettings{}
	case GroupContact:
		return &ContactInfo{}
	case GroupLocation:
		return &LocationInfo{}
	default:
		return nil
	}
}

// allGroups returns the names of all groups.
func allGroups() iter.Seq[string] {
	return slices.Values([]string{GroupFinance, GroupConfig, GroupLegal, GroupPrint, GroupSocial, GroupMessaging, GroupContact, GroupLocation})
}

// groupColumn returns the field of a row with a group.
func groupColumn(row *models.Entity, name string) *[]byte {
	switch name {
	case GroupFinance:
		return &row.FinanceInfo
	case GroupConfig:
		return &row.ConfigInfo
	case GroupLegal:
		return &row.LegalInfo
	case GroupPrint:
		return &row.PrintInfo
	case GroupSocial:
		return &row.SocialInfo
	case GroupMessaging:
		return &row.MessagingSettings
	case GroupContact:
		return &row.ContactInfo
	default:
		return &row.LocationInfo
	}
}

// apply merges the groups into the row and reports all invalid keys to c.
func (g Groups) apply(row *models.Entity, c *checker) error {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		c.at = ""
		given := newGroup(name)
		if given == nil {
			c.wrong(name, "unknown group")
			continue
		}
		into := groupColumn(row, name)
		merged, err := g[name].merge(*into)
		if err != nil {
			return fmt.Errorf("%s of entity %s: %w", name, row.ID, err)
		}
		c.at = name
		if patch, err := json.Marshal(g[name]); err != nil || !c.decode(patch, given) {
			continue
		}
		result := newGroup(name)
		if err := json.Unmarshal(merged, result); err != nil {
			return fmt.Errorf("%s of entity %s: %w", name, row.ID, err)
		}
		result.check(c)
		*into = merged
	}
	c.at = ""
	return nil
}

// merge returns the stored group with the given keys replaced.
func (g Group) merge(stored []byte) ([]byte, error) {
	all := Group{}
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &all); err != nil {
			return nil, err
		}
	}
	for key, value := range g {
		if value.Kind() == 'n' {
			delete(all, key)
			continue
		}
		all[key] = value
	}
	return json.Marshal(all, json.Deterministic(true))
}

// checker collects invalid fields by their path in the request. Its messages do not contain submitted values.
type checker struct {
	at      string   // name of the group that is being checked
	classes *Classes // the valid categories and bet types of rates; nil means any
	stored  map[class]bool
	details []apperr.Detail
}

// class checks the category and bet type of a rate. A combination that is stored already is accepted, even if the
// category does not exist any more.
func (c *checker) class(path string, of class) {
	c.text(path+".category", of.category, maxShort)
	c.text(path+".bet_type", of.betType, maxShort)
	if c.classes == nil || c.stored[of] {
		return
	}
	if of.category != "" && !slices.Contains(c.classes.Categories, of.category) {
		c.wrong(path+".category", "no such category")
	}
	if of.betType != "" && !slices.Contains(c.classes.BetTypes, of.betType) {
		c.wrong(path+".bet_type", "no such bet type")
	}
}

// allowStored makes class accept the categories and bet types of the stored rates.
func (c *checker) allowStored(finance []byte) error {
	stored, err := decodeFinance(finance)
	if err != nil {
		return err
	}
	c.stored = make(map[class]bool, len(stored.Commissions))
	for _, r := range stored.Commissions {
		c.stored[class{r.Category, r.BetType}] = true
	}
	return nil
}

func (c *checker) wrong(path string, message apperr.Message) {
	if c.at != "" {
		path = c.at + "." + path
	}
	path = strings.ToValidUTF8(path[:min(len(path), maxLocation)], "")
	c.details = append(c.details, apperr.Detail{Location: path, Message: message})
}

// err returns the collected errors, or nil.
func (c *checker) err() error {
	if len(c.details) == 0 {
		return nil
	}
	return ErrInvalidEntity.WithDetails(c.details...)
}

// decode decodes a group, without unknown keys, and reports whether it succeeded.
func (c *checker) decode(raw []byte, into group) bool {
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err == nil {
		return true
	}
	path, message := "", apperr.Message("cannot be read")
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		path, message = pathOf(semantic.JSONPointer), "has the wrong type"
		if errors.Is(err, json.ErrUnknownName) {
			message = "unknown key"
		}
	}
	c.wrong(path, message)
	return false
}

// pathOf converts a JSON pointer, such as /commissions/0/percent, to a path, commissions[0].percent.
func pathOf(pointer jsontext.Pointer) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

// text checks that a text has at most maximum characters, all of them printable. It may be empty.
func (c *checker) text(path, value string, maximum int) {
	if utf8.RuneCountInString(value) > maximum {
		c.wrong(path, apperr.Messagef("expected length <= %d", maximum))
	}
	if strings.ContainsFunc(value, unprintable) {
		c.wrong(path, "contains characters that cannot be shown")
	}
}

// unprintable reports whether a character is a control character or line break, replaces an invalid byte, or changes the
// direction of text, which could make one name look like another.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

func (c *checker) lines(path string, values []string) {
	if len(values) > maxLines {
		c.wrong(path, apperr.Messagef("expected array length <= %d", maxLines))
		return
	}
	for i, value := range values {
		c.text(fmt.Sprintf("%s[%d]", path, i), value, maxText)
	}
}

func (c *checker) phone(path, value string) {
	if value == "" {
		return
	}
	if _, err := phone.Normalise(value); err != nil {
		c.wrong(path, phone.Expected)
	}
}

func (c *checker) between(path string, value *int, minimum, maximum int) {
	if value != nil && (*value < minimum || *value > maximum) {
		c.wrong(path, apperr.Messagef("expected %d to %d", minimum, maximum))
	}
}

func (c *checker) percent(path, value string) {
	if _, err := parsePercent(value); err != nil {
		c.wrong(path, `expected a decimal from "0" to "100" with at most two digits after the point`)
	}
}

// degrees checks a signed decimal such as "-66.9036".
func (c *checker) degrees(path, value string, maximum int64) {
	if value == "" {
		return
	}
	whole, frac, dotted := strings.Cut(strings.TrimPrefix(value, "-"), ".")
	n, err := strconv.ParseUint(whole, 10, 16)
	digits := strings.Trim(frac, "0123456789") == "" && len(frac) <= 8 && dotted == (frac != "")
	if err != nil || !digits || int64(n) > maximum || (int64(n) == maximum && strings.Trim(frac, "0") != "") {
		c.wrong(path, "expected decimal degrees")
	}
}

func (f Finance) check(c *checker) {
	if len(f.Commissions) > maxRules {
		c.wrong("commissions", apperr.Messagef("expected array length <= %d", maxRules))
		return
	}
	seen := make(map[class]bool, len(f.Commissions))
	for i, r := range f.Commissions {
		at, of := fmt.Sprintf("commissions[%d]", i), class{r.Category, r.BetType}
		c.class(at, of)
		c.percent(at+".percent", r.Percent)
		if seen[of] {
			c.wrong(at, "another rate has the same category and bet type")
		}
		seen[of] = true
	}
	if p := f.Participation; p != nil {
		c.percent("participation.percent", p.Percent)
		if !slices.Contains(participationModes(), p.Mode) {
			c.wrong("participation.mode", "expected CARRY, SHARED or NONE")
		}
	}
	if m := f.MobilePayment; m != nil && *m != (MobilePayment{}) { // an empty object means that the entity has no mobile payment
		m.check(c)
	}
	if t := f.TopUp; t != nil {
		least, err := money.Parse(t.Min, topUpDigits)
		if err != nil {
			c.wrong("top_up.min", "expected a positive decimal")
		}
		most, err := money.Parse(t.Max, topUpDigits)
		if err != nil || most < least {
			c.wrong("top_up.max", "expected a positive decimal that is not below min")
		}
	}
}

func (m *MobilePayment) check(c *checker) {
	if len(m.Bank) != 4 || strings.Trim(m.Bank, "0123456789") != "" {
		c.wrong("mobile_payment.bank", "expected four digits")
	}
	if m.Phone == "" {
		c.wrong("mobile_payment.phone", phone.Expected)
	}
	c.phone("mobile_payment.phone", m.Phone)
	if m.IDDocument == "" {
		c.wrong("mobile_payment.id_document", "expected an identity document")
	}
	c.text("mobile_payment.id_document", m.IDDocument, maxShort)
}

func (f *Config) check(c *checker) {
	c.between("sale_stop_seconds", f.SaleStopSeconds, 0, maxDay)
	c.between("cancel_seconds", f.CancelSeconds, 0, maxDay)
	c.between("cancels_per_day", f.CancelsPerDay, 0, maxCancels)
	c.between("prize_expiry_hours", f.PrizeExpiryHours, 1, maxExpiry)
	c.between(assistantTokens, f.AssistantTokens, 0, maxTokens)
	c.between("confirm_line_above", f.ConfirmLineAbove, 1, maxConfirmed)
	c.between("confirm_ticket_above", f.ConfirmTicketAbove, 1, maxConfirmed)
}

func (p *PrintInfo) check(c *checker) {
	c.text("title", p.Title, maxText)
	c.text("subtitle", p.Subtitle, maxText)
	c.lines("header", p.Header)
	c.lines("footer", p.Footer)
}

func (l *LegalInfo) check(c *checker) {
	c.text("business_name", l.BusinessName, maxText)
	c.text("tax_id", l.TaxID, maxShort)
	c.text("representative", l.Representative, maxText)
	c.text("representative_document", l.RepresentativeDocument, maxShort)
	c.text("license", l.License, maxText)
	c.text("registry", l.Registry, maxText)
}

func (s *SocialInfo) check(c *checker) {
	c.text("website", s.Website, maxText)
	if s.Website != "" && !strings.HasPrefix(s.Website, "https://") && !strings.HasPrefix(s.Website, "http://") {
		c.wrong("website", "expected an address that begins with https://")
	}
	c.text("instagram", s.Instagram, maxText)
	c.text("facebook", s.Facebook, maxText)
	c.text("tiktok", s.TikTok, maxText)
	c.text("x", s.X, maxText)
	c.text("telegram", s.Telegram, maxText)
	c.phone("whatsapp", s.WhatsApp)
}

func (m *MessagingSettings) check(c *checker) {
	if !slices.Contains([]string{"", "es", "en"}, m.Language) {
		c.wrong("language", "expected es or en")
	}
	c.text("greeting", m.Greeting, maxText)
	c.text("signature", m.Signature, maxText)
}

func (i *ContactInfo) check(c *checker) {
	c.text("person", i.Person, maxText)
	c.phone("phone", i.Phone)
	c.phone("alternate_phone", i.AlternatePhone)
	c.text("email", i.Email, maxText)
	if name, host, ok := strings.Cut(i.Email, "@"); i.Email != "" && (!ok || name == "" || host == "" || strings.ContainsAny(i.Email, " \t")) {
		c.wrong("email", "expected an e-mail address")
	}
}

func (l *LocationInfo) check(c *checker) {
	c.text("country", l.Country, maxText)
	c.text("state", l.State, maxText)
	c.text("municipality", l.Municipality, maxText)
	c.text("city", l.City, maxText)
	c.text("address", l.Address, maxText)
	c.text("postal_code", l.PostalCode, maxShort)
	c.degrees("latitude", l.Latitude, maxLatitude)
	c.degrees("longitude", l.Longitude, maxLongitude)
}
