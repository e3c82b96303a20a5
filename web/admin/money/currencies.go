package money

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/web/kit"
)

// currenciesPage lists the currencies.
type currenciesPage struct {
	Rows   kit.Rows
	Form   *kit.Form
	Writes bool
}

// currencyRow is a currency with its newest rate; the zero rate without one.
type currencyRow struct {
	ledger.Currency

	rate ledger.ExchangeRate
}

// New asks for a new currency.
func (p *currenciesPage) New(v *kit.View) *kit.Question {
	return v.Question(v.T("currency.new"), currenciesPath+"/new", "", v.T("currency.create")).WithForm(p.Form).Opened(v.Problem != "")
}

// currencyPage is a currency with its exchange rates.
type currencyPage struct {
	ledger.Currency

	Form   *kit.Form
	Rate   *kit.Form
	Rates  kit.Rows
	Writes bool

	Source  string // of fetched rates; "" for none
	Fetches kit.Rows
	fetched []ledger.RateFetch
}

func writes(r *kit.Request) bool { return r.May(auth.CurrenciesWrite) && r.Caller.IsOperator() }

func (p *pages) loadCurrencies(r *kit.Request) (*currenciesPage, error) {
	all, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	newest, err := p.Ledger.NewestRates(r.Context(), r.Today())
	rows := kit.Map(all, func(c *ledger.Currency) currencyRow { return currencyRow{*c, newest[c.ID]} })
	link := func(c *currencyRow) string { return currencyAddress(c.ID) }
	form := currencyForm(r, &ledger.CurrencyFields{Digits: 2, Status: models.StatusActive})
	return &currenciesPage{Rows: kit.RowsOf(currencyColumns(), rows, link, "currencies.none"), Form: form, Writes: writes(r)}, err
}

func currencyAddress(id uuid.UUID) string { return currenciesPath + "/" + id.String() }

func currencyColumns() []kit.Column[currencyRow] {
	return []kit.Column[currencyRow]{
		kit.MonoColumn("label.code", func(c *currencyRow) string { return c.Code }),
		kit.TextColumn("label.name", func(c *currencyRow) string { return c.Name }).Below(func(v *kit.View, c *currencyRow) string { return v.FirstText("currency.is." + c.Status) }),
		kit.TextColumn("currency.symbol", func(c *currencyRow) string { return c.Symbol }),
		kit.WordColumn("rate.pair", func(v *kit.View, c *currencyRow) string {
			return v.T("rate.one", c.Unit(), decimal(v, c.rate.Rate.String()), c.rate.Quote.Unit()) + " · " + v.Day(c.rate.Day)
		}).If(func(c *currencyRow) bool { return c.rate.Rate != 0 }),
	}
}

func currencyForm(r *kit.Request, c *ledger.CurrencyFields) *kit.Form {
	return kit.NewForm(
		kit.TextInput("code", "label.code", 3).With("autocapitalize=characters spellcheck=false").
			WithRule("currency.code.rule", true).Required().At(ledger.ErrCurrencyExists.Code).Into(&c.Code),
		kit.TextInput("name", "label.name", 60).Required().Into(&c.Name),
		kit.TextInput("symbol", "currency.symbol", 8).Into(&c.Symbol),
		kit.NumberInput("digits", "currency.digits", 1).WithRule("currency.digits.rule", true).Required().Into(&c.Digits),
		kit.ChoiceInput("status", "label.state", r.States("currency", models.StatusActive, models.StatusInactive)).Into(&c.Status),
	)
}

func (p *pages) createCurrency(r *kit.Request) error {
	var typed ledger.CurrencyFields
	currencyForm(r, &typed).Take(r)
	c, err := p.Ledger.CreateCurrency(r.Context(), typed)
	return p.currencies.SubmitTo(r, err, currencyAddress(c.ID), "currency.created", func(page *currenciesPage) {
		page.Form.FillFrom(r).RefuseBy(err, "")
	})
}

func (p *pages) loadCurrency(r *kit.Request) (*currencyPage, error) {
	c, err := p.Ledger.CurrencyByID(r.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	rates, _, err := p.Ledger.Rates(r.Context(), &ledger.RateFilter{CurrencyID: r.ID, Limit: kit.PageSize})
	if err != nil {
		return nil, err
	}
	all, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	page := &currencyPage{Currency: c, Writes: writes(r), Rates: kit.RowsOf(rateColumns(writes(r)), rates, nil, "rates.none")}
	page.Form = currencyForm(r, &ledger.CurrencyFields{Code: c.Code, Name: c.Name, Symbol: c.Symbol, Digits: c.Digits, Status: c.Status})
	if err := p.loadFetches(r, page); err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(ledger.Active(all), func(other ledger.Currency) bool { return other.ID == c.ID })
	page.Rate = rateForm(&ledger.RateRequest{Day: r.Today()}, kit.OptionsOf(others, func(other ledger.Currency) (value, text string) {
		return other.Code, other.Code + " · " + other.Name
	}))
	return page, nil
}

func rateForm(rate *ledger.RateRequest, currencies []kit.Option) *kit.Form {
	return kit.NewForm(
		kit.TextInput("date", "label.date", 10).With("type=date").Required().At(ledger.ErrRateFixed.Code).Into(&rate.Day),
		kit.ChoiceInput("currency", "rate.quote", currencies).At(ledger.ErrCurrencyNotFound.Code).Into(&rate.Quote),
		kit.DecimalInput("rate", "rate.rate", 20).WithRule("rate.rule", true).Required().Into(&rate.Rate),
	).WithPrefix("rate-")
}

// Delete asks before the currency is deleted.
func (p *currencyPage) Delete(v *kit.View) *kit.Question {
	return v.Question(v.T("currency.delete"), currencyAddress(p.ID)+"/delete", v.T("currency.delete.ask", p.Code), v.T("currency.delete")).Irreversible(true)
}

func (p *pages) updateCurrency(r *kit.Request) error {
	var typed ledger.CurrencyFields
	currencyForm(r, &typed).Take(r)
	_, err := p.Ledger.UpdateCurrency(r.Context(), r.ID, typed)
	return p.currency.Submit(r, err, "currency.saved", func(page *currencyPage) { page.Form.FillFrom(r).RefuseBy(err, "") })
}

func (p *pages) deleteCurrency(r *kit.Request) error {
	return p.currency.SubmitTo(r, p.Ledger.DeleteCurrency(r.Context(), r.ID), currenciesPath, "currency.deleted")
}

// rateColumns are those of the rates of a currency.
func rateColumns(deletes bool) []kit.Column[ledger.ExchangeRate] {
	columns := []kit.Column[ledger.ExchangeRate]{
		kit.DayColumn("label.date", func(x *ledger.ExchangeRate) businessday.Day { return x.Day }),
		kit.WordColumn("rate.pair", func(v *kit.View, x *ledger.ExchangeRate) string {
			return v.T("rate.one", x.Base.Code, decimal(v, x.Rate.String()), x.Quote.Code)
		}),
		kit.WordColumn("rate.source", func(v *kit.View, x *ledger.ExchangeRate) string { return v.T("rate.source." + x.Source) }),
		kit.TimeColumn("rate.at", func(x *ledger.ExchangeRate) time.Time { return x.UpdatedAt }),
	}
	if deletes {
		columns = append(columns, kit.Column[ledger.ExchangeRate]{Cell: deleteRateCell})
	}
	return columns
}

// deleteRateCell asks before a rate is deleted. Rates are deleted on the page of their base.
func deleteRateCell(v *kit.View, x *ledger.ExchangeRate) kit.Cell {
	return v.QuestionCell(v.Question(v.T("rate.delete"), currencyAddress(x.Base.ID)+"/unrate", v.T("rate.delete.ask", x.Base.Code, x.Quote.Code, v.Day(x.Day)), v.T("rate.delete")).
		With("currency", x.Quote.Code).With("date", x.Day.String()).Irreversible(true))
}

// decimal writes a decimal with the point of the page's language.
func decimal(v *kit.View, text string) string {
	if v.Language == kit.English {
		return text
	}
	return strings.ReplaceAll(text, ".", ",")
}

// rateRequest reads the form of a rate.
func rateRequest(r *kit.Request) *ledger.RateRequest {
	rate := &ledger.RateRequest{BaseID: r.ID}
	rateForm(rate, nil).Take(r) // a zero Day is refused
	return rate
}

func (p *pages) setRate(r *kit.Request) error {
	_, err := p.Ledger.SetRate(r.Context(), r.Caller, rateRequest(r))
	return p.currency.Submit(r, err, "rate.saved", func(page *currencyPage) { page.Rate.FillFrom(r).RefuseBy(err, "") })
}

func (p *pages) deleteRate(r *kit.Request) error {
	return p.currency.Submit(r, p.Ledger.DeleteRate(r.Context(), rateRequest(r)), "rate.deleted")
}

// shownFetches bounds the fetches on the page of a currency.
const shownFetches = 10

// loadFetches adds what came of fetching rates, for those who may fetch them.
func (p *pages) loadFetches(r *kit.Request, page *currencyPage) error {
	page.Source = p.Ledger.RateSource()
	if !page.Writes {
		return nil
	}
	var err error
	page.fetched, _, err = p.Ledger.RateFetches(r.Context(), page.ID, shownFetches, 0)
	page.Fetches = kit.RowsOf(fetchColumns(), page.fetched, nil, "rate.fetches.none")
	return err
}

// ShowsFetches reports whether the page has fetches, or may have some.
func (p *currencyPage) ShowsFetches() bool { return p.Writes && (p.Source != "" || len(p.fetched) > 0) }

func fetchColumns() []kit.Column[ledger.RateFetch] {
	return []kit.Column[ledger.RateFetch]{
		kit.TimeColumn("rate.at", func(f *ledger.RateFetch) time.Time { return f.At }),
		{Title: "rate.pair", Cell: func(v *kit.View, f *ledger.RateFetch) kit.Cell {
			if f.Rate == 0 {
				return kit.Text(f.Pair.String())
			}
			return kit.Text(v.T("rate.one", f.Pair.Base, decimal(v, f.Rate.String()), f.Pair.Quote))
		}},
		kit.DayColumn("label.date", func(f *ledger.RateFetch) businessday.Day { return f.Day }),
		kit.BadgeColumn("rate.outcome", func(v *kit.View, f *ledger.RateFetch) kit.Badge { return v.State("rate.fetch", f.Outcome) }).
			Below(func(v *kit.View, f *ledger.RateFetch) string { return v.FirstText("rate.reason." + f.Reason) }),
		kit.TextColumn("rate.source", func(f *ledger.RateFetch) string { return f.Source }),
	}
}

func (p *pages) fetchRates(r *kit.Request) error {
	return p.currency.Submit(r, p.Ledger.RequestRates(r.Context()), "rate.fetch")
}
