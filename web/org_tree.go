package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
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

func entityStatuses() []string {
	return []string{models.StatusRegister, models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

func (w *Web) orgTree(c *gin.Context) {
	p := &visitOf(c).principal
	page := &treePage{
		Filter: c.Request.URL.Query(), Types: append([]string{models.EntityOperator}, org.TypesBelow(models.EntityOperator)...),
		Statuses: entityStatuses(), Edits: p.May(auth.EntitiesWrite),
	}
	for _, name := range []string{"q", "type", "status", "parent"} {
		page.Searched = page.Searched || page.Filter.Get(name) != ""
	}
	v := &view{Page: page}
	var err error
	if page.Searched {
		v.Pager, err = w.findEntities(c, page)
	} else {
		var root *org.TreeNode
		if root, err = w.deps.Org.Tree(c.Request.Context(), p.EntityPath); err == nil {
			page.Tree = branchOf(root)
		}
	}
	if err != nil {
		w.stop(c, err)
		return
	}
	w.show(c, http.StatusOK, "org-tree", v)
}

// findEntities fills the list with the entities that the address selects.
func (w *Web) findEntities(c *gin.Context, page *treePage) (*pager, error) {
	ctx, scope, p := c.Request.Context(), scopeOf(c), pageOf(c)
	f := &org.EntityFilter{
		Scope: scope, Status: page.Filter.Get("status"), Type: page.Filter.Get("type"), Text: clipped(page.Filter.Get("q"), maxSearch),
		Limit: pageSize, Offset: p.offset(),
	}
	if id, err := uuid.Parse(page.Filter.Get("parent")); err == nil {
		parent, err := w.deps.Org.Entity(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		f.ParentID, page.Parent = id, parent
	}
	list, total, err := w.deps.Org.Entities(ctx, f)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		found := foundEntity{Entity: e}
		if above := w.above(c, e.ID); len(above) > 0 {
			found.Parent = &above[len(above)-1]
		}
		page.Found = append(page.Found, found)
	}
	return p.count(c.Request.URL, len(list), total), nil
}

// maxSearch bounds a search text, in runes.
const maxSearch = 100

func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// above returns the ancestors of an entity within the user's scope, highest first. On an error the frame omits them.
func (w *Web) above(c *gin.Context, id uuid.UUID) []org.Node {
	chain, err := w.deps.Org.Chain(c.Request.Context(), id)
	if err != nil {
		return nil
	}
	var seen []org.Node
	for _, n := range chain[:len(chain)-1] {
		if len(n.Path) >= len(scopeOf(c)) {
			seen = append(seen, n)
		}
	}
	return seen
}
