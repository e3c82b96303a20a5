package web

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/platform/clientaddr"
	first "banca/internal/setup"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/web/kit"
)

// Which games are taken over.
const (
	gamesAll  = "all"
	gamesSome = "some"
	gamesNone = "none"
)

// setupForm is the form in its sections.
type setupForm struct {
	*kit.Form

	Token     string         // masked, of the configuration; "" where the owner types it
	Addresses []netip.Prefix // of the configuration

	offers   []seed.Offer
	sections []setupSection
}

// setupSection is a numbered part of the form. Folded are fields that are shown on request.
type setupSection struct {
	Key            string
	Number         int
	Fields, Folded []*kit.Field

	inputs, folded []kit.Input
}

// form declares the fields.
func (p *setupPages) form(r *kit.Request) (*setupForm, error) {
	f := &setupForm{}
	var err error
	if f.offers, err = seed.Offers(); err != nil {
		return nil, err
	}
	f.Token, f.Addresses = p.bank.Configured()
	f.declare(r)
	var inputs []kit.Input
	for i := range f.sections {
		inputs = append(inputs, f.sections[i].inputs...)
		inputs = append(inputs, f.sections[i].folded...)
	}
	f.Form = kit.NewForm(inputs...)
	f.Put("zone", r.Zone().String()).Put("operator_code", "OPE").Put("games", gamesAll)
	for _, c := range seed.Currencies()[1:] {
		f.Put("currency", append(f.Values("currency"), c.Code)...)
	}
	for _, o := range f.offers {
		f.Put(listOf(o.Category), append(f.Values(listOf(o.Category)), o.ShortCode)...)
	}
	if f.Token == "" {
		f.Put("token", uuid.NewString())
	}
	return f, nil
}

// listOf is the field with the games of a category.
func listOf(category string) string { return "games_" + strings.ToLower(category) }

func (f *setupForm) declare(r *kit.Request) {
	section := func(key string, inputs ...kit.Input) {
		f.sections = append(f.sections, setupSection{Key: key, inputs: inputs})
	}
	section("operator",
		kit.TextInput("operator", "setup.operator", 100).WithRule("field.name", false).Required().At("name"),
		kit.TextInput("operator_code", "label.code", 32).With("spellcheck=false autocapitalize=characters").
			WithRule("setup.operator_code.hint", true).Required().At("code"),
		kit.TextInput("zone", "setup.zone", 60).With("spellcheck=false autocapitalize=none").Suggest(zones()).
			WithRule("setup.zone.hint", true).Required(),
	)
	var others []kit.Option
	rates := []kit.Input{}
	for _, c := range seed.Currencies()[1:] {
		others = append(others, kit.Option{Value: c.Code, Text: r.T("setup.currency." + c.Code)})
		input := kit.DecimalInput("rate_"+c.Code, "", 18).Labelled(r.T("setup.rate." + c.Code)).At("rate." + c.Code)
		if len(rates) == 0 {
			input = input.WithRule("setup.rate.hint", true)
		}
		rates = append(rates, input)
	}
	section("currencies", append([]kit.Input{kit.ChecksInput("currency", "setup.currencies", others).
		WithRule("setup.currencies.hint", true).At("currencies")}, rates...)...)
	section("games", kit.RadioInput("games", "setup.games", []kit.Option{
		{Value: gamesAll, Text: fmt.Sprintf(r.T("setup.games.all"), len(f.offers))},
		{Value: gamesSome, Text: r.T("setup.games.some")}, {Value: gamesNone, Text: r.T("setup.games.none")},
	}))
	f.sections[len(f.sections)-1].folded = f.gameLists(r)
	section("defaults",
		kit.PercentInput("percent", "setup.percent").WithRule("setup.percent.hint", true),
		kit.MoneyInput(models.MetricStake, "setup.stake", 2).WithRule("setup.stake.hint", true),
		kit.MoneyInput(models.MetricLiability, "setup.liability", 2).WithRule("setup.liability.hint", true),
	)
	section("admin",
		kit.TextInput("admin", "setup.admin", 100).WithRule("field.name", false).Required().With("autocomplete=name"),
		kit.TextInput("email", "label.email", 200).With("type=email autocapitalize=none spellcheck=false autocomplete=username").
			Required(),
		kit.PhoneInput("phone", "label.phone").WithRule("setup.phone.hint", true),
		kit.TextInput("password", "setup.password", 72).With("type=password autocomplete=new-password").
			WithRule("setup.password.hint", true).Required().At(auth.ErrWeakPassword.Code),
	)
	var access []kit.Input
	if f.Token == "" {
		access = append(access, kit.TextInput("token", "setup.token", 36).With("spellcheck=false class=mono").WithRule("setup.token.hint", true))
	}
	if len(f.Addresses) == 0 {
		access = append(access, kit.TextInput("addresses", "setup.addresses", 400).With("spellcheck=false class=mono").
			WithRule("setup.addresses.hint", true))
	}
	section("bank", access...)
	section("messages")
}

// gameLists are the games to choose from, by their categories.
func (f *setupForm) gameLists(r *kit.Request) []kit.Input {
	var lists []kit.Input
	for _, category := range []string{models.CategoryAnimalitos, models.CategoryTriples, models.CategoryTerminales} {
		var options []kit.Option
		for i := range f.offers {
			if o := &f.offers[i]; o.Category == category {
				options = append(options, kit.Option{Value: o.ShortCode, Text: describeOffer(r, o)})
			}
		}
		lists = append(lists, kit.ChecksInput(listOf(category), "category."+category, options).At("games"))
	}
	return lists
}

// describeOffer names a game with its draws, payouts and sources.
func describeOffer(r *kit.Request, o *seed.Offer) string {
	var bets []string
	for _, bet := range o.Bets {
		text := r.T("bet."+bet.Type) + " " + bet.Payout
		if bet.Element != "" {
			text = r.Say("setup.game.element", bet.Element, bet.Payout)
		}
		bets = append(bets, text)
	}
	return r.Say("setup.game", o.Name, len(o.Times), o.Times[0], o.Times[len(o.Times)-1], strings.Join(bets, ", "), strings.Join(o.Sources, ", "))
}

// zones are suggestions; any name of a time zone can be typed.
func zones() []kit.Option {
	var list []kit.Option
	for _, name := range []string{
		"America/Caracas", "America/Bogota", "America/Santo_Domingo", "America/Panama", "America/Lima", "America/Mexico_City",
		"America/Guayaquil", "America/La_Paz", "America/Santiago", "America/Argentina/Buenos_Aires", "America/New_York", "Europe/Madrid",
	} {
		list = append(list, kit.Option{Value: name, Text: name})
	}
	return list
}

// Sections are the fields under their titles.
func (f *setupForm) Sections(v *kit.View) []setupSection {
	for i := range f.sections {
		s := &f.sections[i]
		s.Number, s.Fields, s.Folded = i+1, nil, nil
		for j := range s.inputs {
			s.Fields = append(s.Fields, f.Field(v, s.inputs[j].Name))
		}
		for j := range s.folded {
			s.Folded = append(s.Folded, f.Field(v, s.folded[j].Name))
		}
	}
	return f.sections
}

// Wrong are the fields with errors.
func (f *setupForm) Wrong(v *kit.View) *kit.WrongFields { return f.Summary(v) }

// request returns what the form asks for. It marks the fields that cannot be read.
func (f *setupForm) request(r *kit.Request) *first.Request {
	q := &first.Request{
		Operator: f.Get("operator"), Code: f.Get("operator_code"), Zone: f.Get("zone"), Currencies: []first.Rate{}, Games: f.games(),
		Stake: kit.Decimal(f.Get(models.MetricStake)), Liability: kit.Decimal(f.Get(models.MetricLiability)),
		Percent: kit.Decimal(strings.TrimSuffix(f.Get("percent"), "%")),
		Admin: auth.NewUser{
			Name: f.Get("admin"), Email: f.Get("email"), Phone: f.Get("phone"), Password: f.password(),
		},
	}
	for _, code := range f.Values("currency") {
		q.Currencies = append(q.Currencies, first.Rate{Code: code, Rate: kit.Decimal(f.Get("rate_" + code))})
	}
	for _, c := range seed.Currencies()[1:] {
		if f.Get("rate_"+c.Code) != "" && !slices.Contains(f.Values("currency"), c.Code) {
			f.RefuseFor("rate_"+c.Code, r.T("setup.rate.unmarked"))
		}
	}
	addresses, wrong := readAddresses(f.Get("addresses"))
	if wrong != "" && len(f.Addresses) == 0 {
		f.RefuseFor("addresses", r.Say("setup.addresses.wrong", wrong))
	}
	if f.Get("token") != "" || len(addresses) > 0 {
		q.Bank = &bank.Access{Token: f.Get("token"), Addresses: addresses}
	}
	return q
}

// games are the chosen ones, in the order of the catalogue.
func (f *setupForm) games() []string {
	chosen := []string{}
	for i := range f.offers {
		o := &f.offers[i]
		if f.Get("games") == gamesAll || f.Get("games") == gamesSome && slices.Contains(f.Values(listOf(o.Category)), o.ShortCode) {
			chosen = append(chosen, o.ShortCode)
		}
	}
	return chosen
}

// readAddresses reads addresses and ranges that are separated by commas or spaces, up to a wrong one.
func readAddresses(typed string) (list []netip.Prefix, wrong string) {
	for _, text := range strings.FieldsFunc(typed, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }) {
		p, err := clientaddr.ParsePrefix(text)
		if err != nil {
			return nil, text
		}
		list = append(list, p)
	}
	return list, ""
}

// password is the typed password as it is.
func (f *setupForm) password() string { return f.All().Get("password") }

// fillFrom takes the typed values. A list without a marked option is not sent, and means none.
func (f *setupForm) fillFrom(r *kit.Request) {
	f.FillFrom(r)
	for _, name := range []string{
		"currency", listOf(models.CategoryAnimalitos), listOf(models.CategoryTriples), listOf(models.CategoryTerminales),
	} {
		f.Put(name, r.Forms(name)...)
	}
}
