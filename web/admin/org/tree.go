package org

import (
	"net/url"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

// treePage is the caller's part of the organisation: as a tree, or as a list where something is looked for.
type treePage struct {
	Filter   url.Values
	Types    []string
	Statuses []string
	Searched bool
	Tree     *branch
	Found    []foundEntity
	Parent   *org.Entity // of the list, where it is that of one entity's children
	Edits    bool
}

// foundEntity is an entity of a list, with its ancestors.
type foundEntity struct {
	org.Entity

	Parent *org.Node
}

func statuses() []string {
	return []string{models.StatusRegister, models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

// showTree shows the tree, or the list where something is looked for.
func (p *pages) showTree(r *kit.Request) error {
	for _, name := range []string{"q", "type", "status", "parent"} {
		if r.Filter().Get(name) != "" {
			return p.found.Show(r)
		}
	}
	return p.tree.Show(r)
}

func newTreePage(r *kit.Request) *treePage {
	return &treePage{
		Filter: r.Filter(), Types: append([]string{models.EntityOperator}, org.TypesBelow(models.EntityOperator)...),
		Statuses: statuses(), Edits: r.May(auth.EntitiesWrite),
	}
}

func (p *pages) loadTree(r *kit.Request) (*treePage, error) {
	root, err := p.Org.Tree(r.Context(), r.Scope())
	if err != nil {
		return nil, err
	}
	page := newTreePage(r)
	page.Tree = branchOf(root)
	return page, nil
}

// find returns the entities that the address selects.
func (p *pages) find(r *kit.Request, w kit.Window) ([]foundEntity, int64, error) {
	list, total, err := p.Org.Entities(r.Context(), &org.EntityFilter{
		Scope: r.Scope(), Status: r.Query("status"), Type: r.Query("type"), Text: clipped(r.Query("q"), maxSearch), ParentID: r.QueryID("parent"),
		Limit: w.Limit, Offset: w.Offset,
	})
	found := make([]foundEntity, len(list))
	for i, e := range list {
		found[i].Entity = e
		if above := p.above(r, e.ID); len(above) > 0 {
			found[i].Parent = &above[len(above)-1]
		}
	}
	return found, total, err
}

func (p *pages) foundPage(r *kit.Request, found []foundEntity) (*treePage, error) {
	page := newTreePage(r)
	page.Searched, page.Found = true, found
	var err error
	if id := r.QueryID("parent"); id != uuid.Nil {
		page.Parent, err = p.Org.Entity(r.Context(), r.Scope(), id)
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

// above returns the ancestors of an entity within the caller's scope, highest first. On an error the page omits them.
func (p *pages) above(r *kit.Request, id uuid.UUID) []org.Node {
	chain, err := p.Org.Chain(r.Context(), id)
	if err != nil {
		return nil
	}
	var seen []org.Node
	for _, n := range chain[:len(chain)-1] {
		if len(n.Path) >= len(r.Scope()) {
			seen = append(seen, n)
		}
	}
	return seen
}
