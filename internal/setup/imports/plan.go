package imports

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
)

// What an import does with a line.
const (
	ActionNew   = "new"
	ActionFix   = "changed"
	ActionNone  = "same"
	ActionWrong = "wrong"
)

// Line is a row with what the import does.
type Line struct {
	Row

	Depth    int // below the first line of its branch of the file
	Action   string
	User     bool            // a user is created
	Problems []apperr.Detail // at a column

	entity uuid.UUID
}

// Plan is what an import does.
type Plan struct {
	Lines                            []Line // parents before their children, branch by branch
	Ignored                          []string
	New, Changed, Same, Wrong, Users int

	DryRun bool // nothing was written

	file     *File
	entities []org.ImportEntity
	credits  []ledger.EntityCredit
	limits   []risk.General
	users    []*auth.PreparedUser
}

// planner makes a plan. Its maps are what is stored.
type planner struct {
	*Service

	by       caller.Caller
	plan     *Plan
	problems [][]apperr.Detail // by row
	more     []bool            // by row: a credit, a limit or a user is written
	makes    []bool            // by row: a user is created
	names    map[string]uuid.UUID
	typed    map[string]bool // names of users in the file

	currencies map[string]ledger.Currency // nil Currency for an unknown one
	stored     map[uuid.UUID]*storedIn    // by currency
}

// storedIn is what is stored in a currency.
type storedIn struct {
	credits map[uuid.UUID]money.Amount
	limits  map[risk.General]money.Amount
}

// planFile reads what is stored and decides about every row.
func (s *Service) planFile(
	ctx context.Context, by caller.Caller, q storage.Querier, db *gorm.DB, f *File,
) (*Plan, error) {
	rows := make([]org.ImportRow, len(f.Rows))
	for i := range f.Rows {
		c := f.Rows[i].Cells
		rows[i] = org.ImportRow{
			Code: c[ColumnCode], Name: c[ColumnName], Type: f.Rows[i].Type, Parent: c[ColumnParent],
			Percent: rateOf(c[ColumnPercent]), Phone: phoneOf(c[ColumnPhone]),
		}
	}
	standard, err := s.DefaultRate(ctx)
	if err != nil {
		return nil, err
	}
	p := &planner{
		Service: s, by: by, plan: &Plan{file: f, Ignored: f.Ignored}, problems: make([][]apperr.Detail, len(rows)), more: make([]bool, len(rows)), makes: make([]bool, len(rows)),
		typed: map[string]bool{}, currencies: map[string]ledger.Currency{}, stored: map[uuid.UUID]*storedIn{},
	}
	if p.plan.entities, err = s.Org.PlanImport(ctx, by, db, rows, standard); err != nil {
		return nil, err
	}
	if p.names, err = s.Auth.Names(ctx, db); err != nil {
		return nil, err
	}
	for i := range rows {
		for _, d := range p.plan.entities[i].Problems {
			p.refuse(i, d.Location, d.Message)
		}
		if err := p.money(ctx, q, i); err != nil {
			return nil, err
		}
		p.user(ctx, i)
	}
	p.arrange()
	return p.plan, nil
}

// rateOf is a commission with a point.
func rateOf(text string) string {
	if text == "" {
		return ""
	}
	return decimal(text)
}

// refuse adds a problem of a row. Of one column the first problem suffices.
func (p *planner) refuse(i int, at string, message apperr.Message) {
	if slices.ContainsFunc(p.problems[i], func(other apperr.Detail) bool { return other.Location == at }) {
		return
	}
	p.problems[i] = append(p.problems[i], apperr.Detail{Location: at, Message: message})
}

// money plans the credit and the limits of a row.
func (p *planner) money(ctx context.Context, q storage.Querier, i int) error {
	cells := p.plan.file.Rows[i].Cells
	if cells[ColumnCredit] == "" && cells[ColumnStake] == "" && cells[ColumnLiability] == "" {
		return nil
	}
	currency, err := p.currency(ctx, i)
	if err != nil || currency.ID == uuid.Nil {
		return err
	}
	in, err := p.storedIn(ctx, q, currency)
	if err != nil {
		return err
	}
	entity := p.plan.entities[i].ID()
	if text := cells[ColumnCredit]; text != "" {
		credit, err := ledger.NewCredit(currency, decimal(text), creditReason)
		switch {
		case err != nil:
			p.refuse(i, ColumnCredit, "must be an amount of the currency, at least zero")
		case !p.by.May(auth.WalletsCredit):
			p.refuse(i, ColumnCredit, "you may not set this")
		case in.credits[entity] != credit.Limit:
			p.plan.credits = append(p.plan.credits, ledger.EntityCredit{Entity: entity, Credit: credit})
			p.more[i] = true
		}
	}
	for _, l := range [][2]string{{ColumnStake, models.MetricStake}, {ColumnLiability, models.MetricLiability}} {
		p.limit(i, in, currency, l[0], risk.General{Entity: entity, Currency: currency, Metric: l[1]})
	}
	return nil
}

// creditReason stands in the history of credit limits.
const creditReason = "import"

func (p *planner) limit(i int, in *storedIn, currency ledger.Currency, column string, g risk.General) {
	text := p.plan.file.Rows[i].Cells[column]
	if text == "" {
		return
	}
	base, err := money.ParseOrZero(decimal(text), currency.Digits)
	stored, known := in.limits[g]
	switch {
	case err != nil:
		p.refuse(i, column, "must be an amount of the currency, at least zero")
	case !p.by.May(auth.RiskWrite):
		p.refuse(i, column, "you may not set this")
	case !known || stored != base:
		g.Base = base
		p.plan.limits = append(p.plan.limits, g)
		p.more[i] = true
	}
}

// currency returns the currency of a row, the bank's without one. It refuses an unknown one, for which the id is Nil.
func (p *planner) currency(ctx context.Context, i int) (ledger.Currency, error) {
	code := p.plan.file.Rows[i].Cells[ColumnCurrency]
	if code == "" {
		code = p.Currency
	}
	c, known := p.currencies[code]
	if !known {
		var err error
		if c, err = p.Ledger.Currency(ctx, code); err != nil {
			if apperr.From(err).Kind != apperr.NotFound && apperr.From(err).Kind != apperr.Invalid {
				return c, err
			}
			c = ledger.Currency{}
		}
		p.currencies[code] = c
	}
	if c.ID == uuid.Nil {
		p.refuse(i, ColumnCurrency, "no such currency")
	}
	return c, nil
}

func (p *planner) storedIn(ctx context.Context, q storage.Querier, c ledger.Currency) (*storedIn, error) {
	if in := p.stored[c.ID]; in != nil {
		return in, nil
	}
	in := &storedIn{}
	var err error
	if in.credits, err = p.Ledger.Credits(ctx, q, c.ID); err != nil {
		return nil, err
	}
	if in.limits, err = p.Limits.Generals(ctx, q, c); err != nil {
		return nil, err
	}
	p.stored[c.ID] = in
	return in, nil
}

// user plans the user of a row, who logs in with a code that is sent to the telephone. A user who exists stays.
func (p *planner) user(ctx context.Context, i int) {
	row := &p.plan.file.Rows[i]
	login := row.Cells[ColumnUser]
	if login == "" {
		return
	}
	role := models.RoleTaquilla
	if row.Type != models.EntityTicketPoint {
		role = models.RoleSocio
	}
	n := &auth.NewUser{
		EntityID: p.plan.entities[i].ID(), Identifier: login, Name: row.Cells[ColumnPerson], Phone: phoneOf(row.Cells[ColumnPhone]),
		Role: role, AuthMethod: models.AuthWhatsApp,
	}
	if n.Name == "" {
		n.Name = login
	}
	prepared, err := p.Auth.PrepareUser(ctx, n)
	if err != nil {
		p.refuseUser(i, err)
		return
	}
	for at, name := range prepared.Names() {
		column := ColumnUser
		if at == 0 { // the telephone comes before the identifier
			column = ColumnPhone
		}
		owner, taken := p.names[name]
		switch {
		case taken && owner == n.EntityID:
			return
		case taken:
			p.refuse(i, column, "another user logs in with this")
			return
		case p.typed[name]:
			p.refuse(i, column, "another line of the file has this")
			return
		}
	}
	for _, name := range prepared.Names() {
		p.typed[name] = true
	}
	if !p.by.May(auth.UsersWrite) || !p.by.Permissions.Covers(auth.RolePermissions(role)) {
		p.refuse(i, ColumnUser, "you may not set this")
		return
	}
	p.plan.users = append(p.plan.users, prepared)
	p.plan.Users++
	p.more[i], p.makes[i] = true, true
}

// refuseUser names the columns of an invalid user.
func (p *planner) refuseUser(i int, err error) {
	columns := map[string]string{"phone": ColumnPhone, "name": ColumnPerson}
	for _, d := range apperr.From(err).Details {
		column := columns[d.Location]
		if column == "" {
			column = ColumnUser
		}
		p.refuse(i, column, d.Message)
	}
}

// arrange puts the lines into the order of the tree and counts them.
func (p *planner) arrange() {
	plan := p.plan
	children := make(map[int][]int, len(plan.entities))
	for i := range plan.entities {
		parent := plan.entities[i].Parent
		children[parent] = append(children[parent], i)
	}
	var add func(i, depth int)
	add = func(i, depth int) {
		e := &plan.entities[i]
		line := Line{Row: plan.file.Rows[i], Depth: depth, Problems: p.problems[i], User: p.makes[i], entity: e.ID()}
		switch {
		case len(line.Problems) > 0:
			line.Action = ActionWrong
			plan.Wrong++
		case e.New:
			line.Action = ActionNew
			plan.New++
		case e.Changed || p.more[i]:
			line.Action = ActionFix
			plan.Changed++
		default:
			line.Action = ActionNone
			plan.Same++
		}
		plan.Lines = append(plan.Lines, line)
		for _, child := range children[i] {
			add(child, depth+1)
		}
	}
	for _, root := range children[org.NoParent] {
		add(root, 0)
	}
}

// EntityID is the entity of the line, also of one that a dry run would create.
func (l *Line) EntityID() uuid.UUID { return l.entity }
