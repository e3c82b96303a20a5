package weekly

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/weekly"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// all is the value of the parameter below that lists the entities of all levels.
const all = "all"

// listPage is what the list of a week shows besides its rows.
type listPage struct {
	Week     businessday.Day // zero before the first week was drafted
	Currency string          // code
	Unit     string
	Digits   int
	Sums     *weekly.Sums // of the rows of all pages; nil for rows of several levels
	Drafts   *weekly.Sums // of the drafts of the whole week that the caller may confirm; nil for none
	Redrafts bool
	Sends    int64              // confirmed settlements of the whole week, whose notices the caller may send
	Own      *weekly.Settlement // of the caller's entity, also of the running week; nil for none
	Running  *weekly.Running    // the week is not over
	Above    string             // the entity whose children are listed; "" for the caller's
	Prepare  *kit.Prepared
	Mixed    bool   // rows of several levels, which have no sum
	State    string // of all rows; "" for several
}

// filterOf reads the filter from the address: the newest drafted week and the entities directly below the caller's, unless it says otherwise. The second
// result is false if there is nothing to list, which is reported on the page.
func (p *pages) filterOf(r *kit.Request) (f *weekly.Filter, ok bool, err error) {
	f = &weekly.Filter{Currency: currency.Asked(r), Status: r.Query("status"), Week: r.QueryDay("week"), MostOwed: true}
	if f.Week.IsZero() {
		weeks, err := p.Weekly.Weeks(r.Context(), f.Currency)
		if err == nil && len(weeks) == 0 {
			weeks = make([]businessday.Day, 1)
			weeks[0], err = p.Weekly.RunningWeek(r.Context(), f.Currency)
		}
		if err != nil || weeks[0].IsZero() {
			return f, false, r.Warned(err)
		}
		f.Week = weeks[0]
	}
	if ofAllLevels(r) {
		return f, true, nil
	}
	parent, err := kit.AskedEntity(r, "below")
	f.ParentID = cmp.Or(parent, r.Caller.EntityID)
	return f, err == nil, r.Warned(err)
}

// ofAllLevels reports whether the entities of all levels are asked for; the field of the filter has words for the value all.
func ofAllLevels(r *kit.Request) bool {
	asked := r.Query("below")
	return asked == all || asked == r.T("weekly.all")
}

func (p *pages) listPageOf(r *kit.Request, rows []row) (*listPage, error) {
	page := &listPage{Currency: currency.Asked(r), State: stateOf(rows)}
	f, ok, err := p.filterOf(r)
	if err != nil || !ok {
		return page, err
	}
	in, err := p.Ledger.AnyCurrency(r.Context(), f.Currency)
	if err != nil {
		return nil, err
	}
	page.Week, page.Currency, page.Unit, page.Digits = f.Week, in.Code, in.Unit(), in.Digits
	if weekly.Monday(f.Week) != f.Week {
		return page, nil
	}
	l, err := p.levelOf(r, f, rows)
	if err != nil {
		return nil, err
	}
	page.Mixed = len(rows) > 0 && l.sums == nil
	if page.Sums, page.Running = l.sums, l.running; f.ParentID != uuid.Nil && f.ParentID != r.Caller.EntityID {
		page.Above = kit.EntityName(r, f.ParentID)
	}
	if page.Running != nil {
		return page, nil
	}
	fields := []kit.Parameter{{Name: "currency", Value: f.Currency}, {Name: "week", Value: f.Week.String()}, {Name: "status", Value: f.Status}}
	if f.ParentID != uuid.Nil {
		fields = append(fields, kit.Parameter{Name: "parent", Value: f.ParentID.String()})
	}
	page.Prepare = kit.NewPrepared(r, "weekly-settlements", fields...)
	if r.Caller.IsOperator() {
		return page, p.loadDrafts(r, page)
	}
	if page.Running != nil {
		page.Own = page.Running.Own
		return page, nil
	}
	own, _, err := p.Weekly.List(r.Context(), r.Caller, &weekly.Filter{Week: f.Week, Currency: f.Currency, EntityID: r.Caller.EntityID, Limit: 1})
	if len(own) > 0 {
		page.Own = &own[0]
	}
	return page, err
}

// loadDrafts sums the drafts of the whole week, of all levels.
func (p *pages) loadDrafts(r *kit.Request, page *listPage) error {
	if !r.May(auth.SettlementsWrite) {
		return nil
	}
	week, err := p.Weekly.Sums(r.Context(), r.Caller, &weekly.Filter{Week: page.Week, Currency: page.Currency})
	if err != nil {
		return err
	}
	weeks, err := p.Weekly.Weeks(r.Context(), page.Currency)
	if err != nil {
		return err
	}
	page.Redrafts = len(weeks) > 0 && weeks[0] == page.Week && week.Drafts == week.Settlements
	page.Sends = week.Settlements - week.Drafts
	if week.Drafts > 0 {
		page.Drafts = week
	}
	return nil
}

// Title names the week.
func (p *listPage) Title(v *kit.View) string {
	if p.Week.IsZero() {
		return v.T("weekly.title")
	}
	return v.T("weekly.of", v.ShortDay(p.Week), v.Day(p.Week.AddDays(daysOfWeek-1)))
}

// OwnLeft says what the caller's entity owes; "" without a settlement.
func (p *listPage) OwnLeft(v *kit.View) string {
	if p.Own == nil {
		return ""
	}
	page := settlementPage{Settlement: *p.Own}
	return page.Left(v)
}

// OwnPage is the address of the settlement of the caller's entity; "" for none.
func (p *listPage) OwnPage() string {
	if p.Own == nil || p.Running != nil {
		return ""
	}
	return addressOf(p.Own.ID)
}

// Level names the entity whose children are listed; "" for those of all levels.
func (p *listPage) Level(v *kit.View) string {
	if p.Above == "" {
		return ""
	}
	return v.T("weekly.level", p.Above)
}

// action is the address of an action on the week.
func (p *listPage) action(name string) string {
	return path + "/" + name + "?week=" + p.Week.String() + "&currency=" + p.Currency
}

// Confirm asks before all drafts of the week are confirmed.
func (p *listPage) Confirm(v *kit.View) *kit.Question {
	q := v.Question(v.T("weekly.confirm.week"), p.action("confirm"), v.T("weekly.confirm.week.lead"), v.N("weekly.confirm.week.do", p.Drafts.Drafts)).
		Fact("weekly.week", kit.Text(weekText(v, p.Week))).
		Fact("weekly.drafts", kit.Text(v.Count(p.Drafts.Drafts))).
		Fact("weekly.booked", kit.Text(v.Money(p.Drafts.OwnShares, p.Digits)+" "+p.Unit))
	if p.Sums != nil {
		q = q.Fact("weekly.owed", kit.Text(v.Money(p.Sums.Owed, p.Digits)+" "+p.Unit)).Fact("weekly.owing", kit.Text(v.Money(p.Sums.Owing, p.Digits)+" "+p.Unit))
	}
	return q
}

// Redraft asks before the week is drafted again.
func (p *listPage) Redraft(v *kit.View) *kit.Question {
	return v.Question(v.T("weekly.redraft"), p.action("draft"), v.T("weekly.redraft.lead"), v.T("weekly.redraft.do"))
}

// Send asks before the notices of the week are sent.
func (p *listPage) Send(v *kit.View) *kit.Question {
	return v.Question(v.T("weekly.send"), p.action("send"), v.T("weekly.send.lead"), v.N("weekly.send.do", p.Sends)).
		Fact("weekly.week", kit.Text(weekText(v, p.Week)))
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	money, err := currency.Field(r, p.Ledger)
	if err != nil {
		return nil, err
	}
	week, err := p.weekField(r, currency.Asked(r))
	if err != nil {
		return nil, err
	}
	below := kit.EntityField("below", "weekly.below")
	if ofAllLevels(r) {
		below.Value = r.T("weekly.all")
	}
	return &kit.Filter{Clear: path, Reset: "reports.clear", Fields: []kit.FilterField{
		week, below, money, kit.SelectField("status", "label.state", r.States("settlement", weekly.States()...)),
	}}, nil
}

// weekField is the choice of a drafted week; one is always chosen.
func (p *pages) weekField(r *kit.Request, currency string) (kit.FilterField, error) {
	weeks, err := p.Weekly.Weeks(r.Context(), currency)
	if err != nil && !kit.IsNotFound(err) {
		if _, _, refused := r.Explain(err); !refused {
			return kit.FilterField{}, err
		}
	}
	if asked := r.QueryDay("week"); !asked.IsZero() && !slices.Contains(weeks, asked) {
		weeks = append(weeks, asked)
	}
	v := r.View()
	running, err := p.Weekly.RunningWeek(r.Context(), currency)
	if err = r.Warned(err); err != nil {
		return kit.FilterField{}, err
	}
	if !running.IsZero() { // the first one
		weeks = append([]businessday.Day{running}, slices.DeleteFunc(weeks, func(week businessday.Day) bool { return week == running })...)
	}
	options := kit.OptionsOf(weeks, func(week businessday.Day) (value, text string) {
		if week == running {
			return week.String(), v.T("weekly.running")
		}
		return week.String(), v.Day(week)
	})
	field := kit.SelectField("week", "weekly.monday", options)
	field.First = ""
	if r.Query("week") == "" && len(weeks) > 0 {
		newest := weeks[0]
		if newest == running && len(weeks) > 1 {
			newest = weeks[1]
		}
		field.Value = newest.String()
	}
	return field, nil
}

// show shows the list. The file of one level has totals, as the page has.
func (p *pages) show(r *kit.Request) error {
	list := p.list
	if !ofAllLevels(r) {
		list.Columns = columns()
		for i := range list.Columns {
			list.Columns[i].Sum = list.Columns[i].Number
		}
	}
	return list.Show(r)
}

// stateOf returns the state of all rows, "" for several states.
func stateOf(rows []row) string { return kit.Common(rows, func(s *row) string { return s.Status }) }

// columnsOf returns the columns of a page. The amount left has a column where a row was paid, the state where rows differ.
func columnsOf(rows []row) []kit.Column[row] {
	list := kit.Hide(columns(), map[string]bool{"label.state": stateOf(rows) != "", "weekly.left": !paid(rows)})
	if balance := len(list) - 3; paid(rows) {
		list[balance] = list[balance].OnWide()
	}
	return list
}

func columns() []kit.Column[row] {
	amount := kit.AmountsOf(func(s *row) int { return s.Currency.Digits })
	less := func(title string, of func(s *row) money.Amount) kit.Column[row] {
		return amount(title, of).WithCell(func(v *kit.View, s *row) kit.Cell { return lessCell(v, of(s), s.Currency.Digits) })
	}
	return []kit.Column[row]{
		{Title: "weekly.week", File: func(s *row) sheet.Cell { return sheet.Day(s.Week) }},
		kit.WrapColumn("label.entity", func(s *row) string { return s.Entity }).
			Below(func(v *kit.View, s *row) string {
				if s.level.sums != nil { // of one type
					return ""
				}
				return v.T("type." + s.Type)
			}),
		{Title: "label.code", Text: func(s *row) string { return s.Code }},
		kit.StateColumn("settlement", func(s *row) string { return s.Status }),
		amount("weekly.sales", func(s *row) money.Amount { return s.Sales }).OnWide(),
		less("weekly.prizes", func(s *row) money.Amount { return s.Prizes }).OnWide(),
		less("weekly.commissions", func(s *row) money.Amount { return s.Commissions }).OnWide(),
		less("weekly.participation", func(s *row) money.Amount { return s.Participation }).OnWide(),
		amount("weekly.own", func(s *row) money.Amount { return s.OwnShare }).FileOnly(),
		amount("weekly.adjustments", func(s *row) money.Amount { return s.Adjustments }).FileOnly(),
		amount("weekly.due", func(s *row) money.Amount { return s.BeforePayments() }).OnWide(),
		amount("weekly.previous", func(s *row) money.Amount { return s.Previous }).OnWide(),
		amount("weekly.moved", func(s *row) money.Amount { return s.Moved }).FileOnly(),
		less("weekly.paid", func(s *row) money.Amount { return s.Payments }).OnWide(),
		amount("weekly.balance", func(s *row) money.Amount { return s.Balance() }).
			WithCell(func(v *kit.View, s *row) kit.Cell { return owedCell(v, s.Balance(), s.Currency.Digits) }),
		{
			Title: "weekly.left", Number: true, File: func(s *row) sheet.Cell { return sheet.Money(s.Outstanding(), s.Currency.Digits) },
			Cell: func(v *kit.View, s *row) kit.Cell { return owedCell(v, s.Outstanding(), s.Currency.Digits) },
		},
		{Title: "label.currency", Text: func(s *row) string { return s.Currency.Code }},
	}
}

// shownRefusals bounds the refusals that the page names.
const shownRefusals = 5

// confirmWeek confirms all drafts of a week.
func (p *pages) confirmWeek(r *kit.Request) error {
	week, code := r.QueryDay("week"), currency.Asked(r)
	confirmed, refused, err := p.Weekly.ConfirmWeek(r.Context(), r.Caller, &weekly.Filter{Week: week, Currency: code})
	back := path + "?week=" + week.String() + "&currency=" + code
	switch {
	case err != nil:
		return p.list.AsPage().ShowRefusal(r, err)
	case len(refused) == 0:
		return r.Done(back, "week.confirmed")
	}
	text, err := refusals(r, len(confirmed), refused)
	if err != nil {
		return err
	}
	return p.list.AsPage().Present(r, 409, text)
}

// refusals describes why settlements were not confirmed. An error that has no text for people is returned.
func refusals(r *kit.Request, confirmed int, refused []weekly.Refusal) (string, error) {
	lines := make([]string, 0, shownRefusals)
	for i := range refused {
		_, text, ok := r.Explain(refused[i].Err)
		if !ok {
			return "", refused[i].Err
		}
		if len(lines) == shownRefusals {
			continue
		}
		lines = append(lines, refused[i].Entity+": "+text)
	}
	slices.Sort(lines)
	return fmt.Sprintf(r.T("weekly.refused"), confirmed, len(refused), strings.Join(lines, " ")), nil
}

// draftWeek drafts the newest week again.
func (p *pages) draftWeek(r *kit.Request) error {
	week, code := r.QueryDay("week"), currency.Asked(r)
	return p.list.AsPage().SubmitTo(r, p.Weekly.Redraft(r.Context(), r.Caller, week, code), path+"?week="+week.String()+"&currency="+code, "week.drafted")
}

// sendWeek sends the notices of the confirmed settlements of a week.
func (p *pages) sendWeek(r *kit.Request) error {
	week, code := r.QueryDay("week"), currency.Asked(r)
	return p.list.AsPage().SubmitTo(r, p.Weekly.SendWeek(r.Context(), r.Caller, week, code), path+"?week="+week.String()+"&currency="+code, "week.sent")
}

// newKey returns an idempotency key for a form.
func newKey() string { return rand.Text() }

// isPoint reports whether an entity has nobody below it.
func isPoint(entityType string) bool { return entityType == models.EntityTicketPoint }
