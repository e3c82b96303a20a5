package org

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// treePage is the caller's part of the organisation: as a tree, or as a list where something is looked for.
type treePage struct {
	Searched   bool
	Tree       *branch
	Parent     *org.Entity // of the list, where it is that of one entity's children
	Edits      bool
	Currencies []kit.Choice
}

// Below returns the address of a form about the entities below the one whose children are listed.
func (p *treePage) Below(form string) string {
	if p.Parent == nil {
		return path + form
	}
	return path + form + "?parent=" + p.Parent.ID.String()
}

// foundEntity is an entity of a list, with its ancestors.
type foundEntity struct {
	org.Entity

	Parent *org.Node
	Money  *nodeMoney // nil if it was not read
}

func statuses() []string {
	return []string{models.StatusRegister, models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

// showTree shows the tree, or the list where something is looked for.
func (p *pages) showTree(r *kit.Request) error {
	if searched(r) {
		return p.found.Show(r)
	}
	return p.tree.Show(r)
}

// searched reports whether the address selects entities.
func searched(r *kit.Request) bool {
	filter := r.URL().Query()
	return slices.ContainsFunc([]string{"q", "type", "status", "parent"}, func(name string) bool { return filter.Get(name) != "" })
}

// filter is that of the list. The tree has it, too: what is typed there leads to the list.
func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	search := kit.TextField("q", "label.name_or_code", maxSearch)
	search.Kind = "search"
	types := append([]string{models.EntityOperator}, org.TypesBelow(models.EntityOperator)...)
	f := &kit.Filter{Fields: []kit.FilterField{
		search, kit.SelectField("type", "label.type", r.Options("type.", types...)), kit.SelectField("status", "label.state", r.States("entity", statuses()...)),
		kit.HiddenIDField("parent"), kit.HiddenField(currency.Param),
	}}
	if searched(r) {
		f.Clear, f.Reset = path, "org.tree.whole"
	}
	return f, nil
}

func (p *pages) loadTree(r *kit.Request) (*treePage, error) {
	root, err := p.Org.Tree(r.Context(), r.Caller, r.Caller.EntityID)
	if err != nil {
		return nil, err
	}
	filter, err := p.filter(r)
	r.ShowFilter(filter)
	if err != nil {
		return nil, err
	}
	page := &treePage{Edits: r.May(auth.EntitiesWrite), Tree: branchOf(root)}
	money, currencies, err := p.nodesMoney(r, page.Tree.ids())
	page.Tree.fill(money)
	page.Currencies = currencies
	return page, err
}

// find returns the entities that the address selects.
func (p *pages) find(r *kit.Request, w kit.Window) ([]foundEntity, int64, error) {
	list, total, err := p.Org.Entities(r.Context(), r.Caller, &org.EntityFilter{
		Status: r.Query("status"), Type: r.Query("type"), Text: clipped(r.Query("q"), maxSearch), ParentID: r.QueryID("parent"), Sort: w.Order,
		Limit: w.Limit, Offset: w.Offset,
	})
	if err != nil {
		return nil, 0, err
	}
	found, err := p.withMoney(r, list)
	for i, e := range list {
		if above := p.above(r, e.ID); len(above) > 0 {
			found[i].Parent = &above[len(above)-1]
		}
	}
	return found, total, err
}

// withMoney returns entities with their figures, which a file has not.
func (p *pages) withMoney(r *kit.Request, list []org.Entity) ([]foundEntity, error) {
	found, ids := make([]foundEntity, len(list)), kit.Map(list, func(e *org.Entity) uuid.UUID { return e.ID })
	if r.WantsFile() {
		ids = nil
	}
	money, _, err := p.nodesMoney(r, ids)
	for i, e := range list {
		found[i] = foundEntity{Entity: e, Money: money[e.ID]}
	}
	return found, err
}

func foundColumns() []kit.Column[foundEntity] {
	return []kit.Column[foundEntity]{
		kit.WrapColumn("label.name", func(e *foundEntity) string { return e.Name }).By(kit.Orders{Ascending: "name"}).
			Below(func(v *kit.View, e *foundEntity) string { return v.T("type." + e.Type) }),
		kit.MonoColumn("label.code", func(e *foundEntity) string { return e.Code }).By(kit.Orders{Ascending: "code"}),
		kit.WordColumn("label.type", func(v *kit.View, e *foundEntity) string { return v.T("type." + e.Type) }).FileOnly(),
		kit.StateColumn("entity", func(e *foundEntity) string { return e.Status }),
		{Title: "label.parent", Text: (*foundEntity).parentCode, Cell: func(_ *kit.View, e *foundEntity) kit.Cell {
			if e.Parent == nil {
				return kit.Cell{}
			}
			return kit.Text(e.Parent.Name).To(path + "/" + e.Parent.ID.String())
		}},
		kit.TimeColumn("label.created", func(e *foundEntity) time.Time { return e.CreatedAt }).FileOnly(),
		{Title: "label.id", Text: func(e *foundEntity) string { return e.ID.String() }},
	}
}

// parentCode is the code of the entity above; "" for none.
func (e *foundEntity) parentCode() string {
	if e.Parent == nil {
		return ""
	}
	return e.Parent.Code
}

func entityAddress(e *foundEntity) string { return path + "/" + e.ID.String() }

func (p *pages) foundPage(r *kit.Request, _ []foundEntity) (*treePage, error) {
	page := &treePage{Edits: r.May(auth.EntitiesWrite), Searched: true}
	var err error
	if _, page.Currencies, err = currency.Choose(r, p.Ledger); err != nil {
		return nil, err
	}
	if id := r.QueryID("parent"); id != uuid.Nil {
		page.Parent, err = p.Org.Entity(r.Context(), r.Caller, id)
	}
	return page, err
}

// maxSearch bounds a search text, in runes.
const maxSearch = 100

func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// crumbs are links to entities.
func crumbs(above []org.Node) []kit.MenuLink {
	return kit.Map(above, func(n *org.Node) kit.MenuLink {
		return kit.MenuLink{Title: n.Name, Path: path + "/" + n.ID.String()}
	})
}

// above returns the ancestors of an entity within the caller's scope, highest first. On an error the page omits them.
func (p *pages) above(r *kit.Request, id uuid.UUID) []org.Node {
	chain, err := p.Org.Chain(r.Context(), id)
	if err != nil {
		return nil
	}
	var seen []org.Node
	for _, n := range chain[:len(chain)-1] {
		if len(n.Path) >= len(r.Caller.Scope.Path()) {
			seen = append(seen, n)
		}
	}
	return seen
}

// suggest finds entities for the pickers of all areas.
func (p *pages) suggest(r *kit.Request, typed string) ([]kit.Option, error) {
	texts, err := p.Org.Suggest(r.Context(), r.Caller, typed)
	return kit.Map(texts, func(text *string) kit.Option { return kit.Option{Text: *text} }), err
}

// maxTree bounds the entities of the tree; a branch that is cut links to a list of its own.
const maxTree = 300

// openTree is the size up to which all of a tree is shown unfolded, or its two highest levels.
const openTree = 40

// branch is an entity in the tree as it is shown.
type branch struct {
	*org.TreeNode

	Below  int  // entities under it, at any depth
	Hidden bool // those directly under it are not shown here
	Open   bool
	Shown  []*branch
	Money  *nodeMoney // nil if it was not read
}

// Alone returns the branch as a list of one.
func (b *branch) Alone() []*branch { return []*branch{b} }

// branchOf turns a tree into the shown part: level by level, up to maxTree.
func branchOf(root *org.TreeNode) *branch {
	top := &branch{TreeNode: root, Below: below(root)}
	room, second := maxTree, len(root.Children)
	for _, child := range root.Children {
		second += len(child.Children)
	}
	for level := []*branch{top}; len(level) > 0; {
		var next []*branch
		for _, b := range level {
			if b.Hidden = len(b.Children) > room; b.Hidden {
				continue
			}
			room -= len(b.Children)
			b.Open = b.Open || top.Below <= openTree || b == top
			for _, child := range b.Children {
				b.Shown = append(b.Shown, &branch{TreeNode: child, Below: below(child), Open: b == top && second <= openTree})
			}
			next = append(next, b.Shown...)
		}
		level = next
	}
	return top
}

// Inside says how many entities of each type are under the branch.
func (b *branch) Inside(v *kit.View) string {
	counts := map[string]int64{}
	countTypes(b.TreeNode, counts)
	var texts []string
	for _, kind := range org.TypesBelow(b.Type) {
		if n := counts[kind]; n > 0 {
			texts = append(texts, v.N("org.tree."+kind, n))
		}
	}
	return strings.Join(texts, " · ")
}

func countTypes(n *org.TreeNode, counts map[string]int64) {
	for _, child := range n.Children {
		counts[child.Type]++
		countTypes(child, counts)
	}
}

func below(n *org.TreeNode) int {
	total := len(n.Children)
	for _, child := range n.Children {
		total += below(child)
	}
	return total
}
