package org

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// ImportRow is an entity as a file describes it. An empty Name, Percent or Phone changes nothing of an entity that
// exists.
type ImportRow struct {
	Code, Name string
	Type       string // of entity
	Parent     string // code; "" for the caller's entity
	Percent    string // commission on all bets
	Phone      string // of the contact
}

// ImportEntity is what an import does with a row.
type ImportEntity struct {
	New, Changed bool
	Parent       int             // where in the rows the parent is; NoParent for an entity that exists
	Problems     []apperr.Detail // at code, name, type, parent, percent or phone

	row    models.Entity
	before models.Entity
}

// ID is the entity's, also of one that will be created.
func (e *ImportEntity) ID() uuid.UUID { return e.row.ID }

// Path is the entity's path, "" if its parent has none.
func (e *ImportEntity) Path() string { return e.row.Path }

// importInsert is the number of entities of one INSERT.
const importInsert = 250

// PlanImport reads the tree and returns what an import would do with each row. It writes nothing and takes no lock.
// defaultPercent is the commission of a new entity right below the operator whose row has none; "" for none.
func (s *Service) PlanImport(
	ctx context.Context, by caller.Caller, db *gorm.DB, rows []ImportRow, defaultPercent string,
) ([]ImportEntity, error) {
	var stored []models.Entity
	if err := db.WithContext(ctx).Order("length(path), path").Find(&stored).Error; err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	p := &importPlan{
		by: by, rows: rows, entities: make([]ImportEntity, len(rows)), stored: stored, lines: map[string]int{},
		byCode: map[string]*models.Entity{}, defaultPercent: defaultPercent,
	}
	for i := range stored {
		p.byCode[strings.ToUpper(stored[i].Code)] = &stored[i]
		if stored[i].Path == by.Scope.Path() {
			p.own = &stored[i]
		}
	}
	if p.own == nil {
		return nil, ErrEntityNotFound
	}
	c, err := s.checker(ctx, Groups{GroupFinance: {"commissions": jsontext.Value("[]")}})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if code := strings.ToUpper(rows[i].Code); code != "" {
			if _, twice := p.lines[code]; twice {
				p.refuse(i, "code", "the file has this code on a line before")
				continue
			}
			p.lines[code] = i
		}
	}
	for _, i := range p.parentsFirst() {
		if err := p.plan(i, &checker{classes: c.classes}); err != nil {
			return nil, err
		}
	}
	return p.entities, p.checkRates()
}

// importPlan is the state of PlanImport.
type importPlan struct {
	by             caller.Caller
	own            *models.Entity // the caller's entity
	rows           []ImportRow
	entities       []ImportEntity
	stored         []models.Entity
	byCode         map[string]*models.Entity // by the code in upper case
	lines          map[string]int            // of the codes of the file
	defaultPercent string
}

func (p *importPlan) refuse(i int, at string, message apperr.Message) {
	p.entities[i].Problems = append(p.entities[i].Problems, apperr.Detail{Location: at, Message: message})
}

// parentsFirst returns the rows in the order of their types. A child is of a lower type than its parent.
func (p *importPlan) parentsFirst() []int {
	order := make([]int, len(p.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(p.rows[a].Type), rank(p.rows[b].Type)) })
	return order
}

// plan decides about one row, whose parent is decided.
func (p *importPlan) plan(i int, c *checker) error {
	r, e := &p.rows[i], &p.entities[i]
	e.Parent = NoParent
	if rank(r.Type) <= 0 {
		p.refuse(i, "type", "expected a type of entity")
		return nil
	}
	parent := p.parentOf(i)
	if found := p.byCode[strings.ToUpper(r.Code)]; found != nil {
		p.existing(i, found, parent)
	} else {
		e.New = true
		e.row = models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: r.Type, Code: r.Code, Status: models.StatusActive}
		for name := range allGroups() {
			*groupColumn(&e.row, name) = []byte("{}")
		}
		if parent != nil {
			e.row.ParentID, e.row.Path = &parent.ID, parent.Path+e.row.ID.String()+"/"
			if rank(r.Type) <= rank(parent.EntityType) {
				p.refuse(i, "parent", "an entity must be of a lower type than its parent")
			}
		}
	}
	return p.apply(i, c, parent)
}

// parentOf returns the parent of a row, or nil with a problem.
func (p *importPlan) parentOf(i int) *models.Entity {
	code := strings.ToUpper(p.rows[i].Parent)
	if code == "" {
		return p.own
	}
	if line, ok := p.lines[code]; ok {
		above := &p.entities[line]
		if line != i && rank(p.rows[line].Type) < rank(p.rows[i].Type) {
			p.entities[i].Parent = line
		}
		switch {
		case line == i || rank(p.rows[line].Type) >= rank(p.rows[i].Type):
			p.refuse(i, "parent", "an entity must be of a lower type than its parent")
			return nil
		case above.row.Path == "":
			p.refuse(i, "parent", "the line of the parent has a problem")
			return nil
		}
		return &above.row
	}
	if found := p.byCode[code]; found != nil && p.by.Scope.Contains(found.Path) {
		return found
	}
	p.refuse(i, "parent", "neither the file nor your part of the organisation has this code")
	return nil
}

// existing is a row of an entity that exists.
func (p *importPlan) existing(i int, found, parent *models.Entity) {
	e, r := &p.entities[i], &p.rows[i]
	if !p.by.Scope.Contains(found.Path) {
		p.refuse(i, "code", "another entity has this code")
		return
	}
	e.row, e.before = *found, *found
	switch {
	case found.ID == p.own.ID:
		p.refuse(i, "code", "is your own entity")
	case found.EntityType != r.Type:
		p.refuse(i, "type", "the entity exists and has another type")
	case parent != nil && r.Parent != "" && found.ParentID != nil && *found.ParentID != parent.ID:
		p.refuse(i, "parent", "the entity exists below another parent; move it in the panel first")
	}
}

// apply sets the values of the row.
func (p *importPlan) apply(i int, c *checker, parent *models.Entity) error {
	e, r := &p.entities[i], &p.rows[i]
	if e.row.ID == uuid.Nil {
		return nil
	}
	percent := r.Percent
	if e.New && percent == "" && parent != nil && parent.ParentID == nil {
		percent = p.defaultPercent
	}
	ch := Change{Groups: Groups{}}
	if r.Name != "" || e.New {
		ch.Name, ch.Code = &r.Name, &e.row.Code
	}
	if percent != "" {
		set := RateSetting{Kind: RateCommission, Percent: percent}
		c.at = ""
		if set.check(c); len(c.details) == 0 {
			groups, err := set.groups(&e.row)
			if err != nil {
				return err
			}
			ch.Groups[GroupFinance] = groups[GroupFinance]
		}
	}
	if r.Phone != "" {
		raw, err := json.Marshal(r.Phone)
		if err != nil {
			return err
		}
		ch.Groups[GroupContact] = Group{"phone": raw}
	}
	if err := ch.apply(&e.row, c); err != nil && !errors.Is(err, ErrInvalidEntity) {
		return err
	}
	for _, d := range c.details {
		p.refuse(i, importPlace(d.Location), d.Message)
	}
	e.Changed = !e.New && (e.row.Name != e.before.Name || !sameGroups(&e.row, &e.before))
	return nil
}

// sameGroups reports whether two rows have the same settings that an import sets.
func sameGroups(a, b *models.Entity) bool {
	for _, name := range []string{GroupFinance, GroupContact} {
		var x, y any
		if json.Unmarshal(*groupColumn(a, name), &x) != nil || json.Unmarshal(*groupColumn(b, name), &y) != nil {
			return false
		}
		left, _ := json.Marshal(x, json.Deterministic(true))
		right, _ := json.Marshal(y, json.Deterministic(true))
		if string(left) != string(right) {
			return false
		}
	}
	return true
}

// importPlace is the column of a place of a checker.
func importPlace(at string) string {
	switch {
	case strings.HasPrefix(at, GroupFinance):
		return "percent"
	case strings.HasPrefix(at, GroupContact):
		return "phone"
	default:
		return at
	}
}

// checkRates refuses the rows that would exceed their parent's rate, and the ones whose rate would fall below a rate
// that an entity below them has.
func (p *importPlan) checkRates() error {
	branch, lines, err := p.branch()
	if err != nil {
		return err
	}
	for _, of := range classesOf(branch) {
		branch.grantedRates(of.own, func(at int, set, allowed money.BasisPoints) {
			for i := at; i != NoParent; i = branch[i].parent {
				line, ok := lines[branch[i].id]
				if !ok {
					continue
				}
				e := &p.entities[line]
				if !slices.ContainsFunc(e.Problems, func(d apperr.Detail) bool { return d.Location == "percent" }) && (e.New || e.Changed) {
					p.refuse(line, "percent", apperr.Messagef(
						"%s has %s %%, its parent %s %%", branch[at].code, percentText(set), percentText(allowed),
					))
				}
				return
			}
		})
	}
	return nil
}

// branch is the whole tree after the import, with the lines of the entities of the file.
func (p *importPlan) branch() (branch, map[uuid.UUID]int, error) {
	lines := map[uuid.UUID]int{}
	var list branch
	add := func(row *models.Entity) error {
		finance, err := decodeFinance(row.FinanceInfo)
		if err != nil {
			return fmt.Errorf("entity %s: %w", row.ID, err)
		}
		list = append(list, rated{id: row.ID, code: row.Code, name: row.Name, kind: row.EntityType, path: row.Path, finance: finance})
		return nil
	}
	for i := range p.entities {
		if e := &p.entities[i]; e.row.Path != "" && len(e.Problems) == 0 {
			lines[e.row.ID] = i
			if err := add(&e.row); err != nil {
				return nil, nil, err
			}
		}
	}
	for i := range p.stored {
		if _, ok := lines[p.stored[i].ID]; ok {
			continue
		}
		if err := add(&p.stored[i]); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(list, func(a, b rated) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	list.linkParents()
	return list, lines, nil
}

// CreateImportedTx writes the new entities of a plan. The plan has no problems, was made in the same transaction, and
// the transaction holds storage.LockTree. After its commit the caller calls Forget.
func (s *Service) CreateImportedTx(ctx context.Context, tx pgx.Tx, orm *gorm.DB, planned []ImportEntity) error {
	var created []*models.Entity
	for i := range planned {
		if e := &planned[i]; e.New {
			created = append(created, &e.row)
		}
	}
	slices.SortStableFunc(created, func(a, b *models.Entity) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	if len(created) > 0 {
		if err := duplicateCode(orm.WithContext(ctx).CreateInBatches(created, importInsert).Error); err != nil {
			return err
		}
	}
	entries := make([]activity.Entry, len(created))
	for i, row := range created {
		var err error
		if entries[i], err = createdEntry(row); err != nil {
			return err
		}
	}
	return activity.RecordAllTx(ctx, tx, entries)
}

// UpdateImportedTx writes the changed entities of a plan, as CreateImportedTx. It locks rows of entities, so it comes
// after the locks of wallets.
func (s *Service) UpdateImportedTx(ctx context.Context, tx *gorm.DB, planned []ImportEntity) error {
	for i := range planned {
		e := &planned[i]
		if !e.Changed {
			continue
		}
		err := tx.WithContext(ctx).Model(&e.row).Select("Name", "FinanceInfo", "ContactInfo", "UpdatedAt").Updates(&e.row).Error
		if err != nil {
			return fmt.Errorf("import entity: %w", err)
		}
		if err := recordUpdated(ctx, tx, &e.before, &e.row); err != nil {
			return err
		}
	}
	return nil
}
