package web

import (
	"net/http"
	"path"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/internal/org"
)

// orgPath is where the organisation's part of the panel lies.
const orgPath = "/admin/organisation"

func (w *Web) registerOrg(g *gin.RouterGroup) {
	g.GET("", w.orgTree)
	write := g.Group("", w.may(auth.EntitiesWrite))
	write.GET("/new", w.newEntity)
	write.POST("/new", w.sameForm, w.createEntity)
	g.GET("/:id", w.orgEntity)
	w.act(write, "/:id", "/settings/:group", w.saveSettings)
	w.act(write, "/:id", "/facts", w.saveFacts)
	w.act(write, "/:id", "/finance", w.saveFinance)
	w.guard(write, "/:id", "/status", w.setStatus)
	write.GET("/:id/move", w.moveEntity)
	write.POST("/:id/move", w.sameForm, w.moveNow)
	w.guard(g.Group("", w.may(auth.EntitiesDelete)), "/:id", "/delete", w.deleteEntity)
	documents := g.Group("", w.may(auth.DocumentsRead))
	documents.GET("/:id/documents", func(c *gin.Context) { c.Redirect(http.StatusSeeOther, path.Dir(c.Request.URL.Path)) })
	documents.GET("/:id/documents/:document", w.openDocument)
	attach := g.Group("", w.may(auth.DocumentsWrite))
	attach.POST("/:id/documents", w.limitUpload, w.sameForm, w.attachDocument)
	w.guard(attach, "/:id", "/documents/:document/remove", w.removeDocument)
}

// orgLinks are the organisation's part of the side.
func (w *Web) orgLinks(p *auth.Principal) []menuLink {
	if w.deps.Org == nil || !p.May(auth.EntitiesRead) {
		return nil
	}
	return []menuLink{{Title: "org.tree.title", Path: orgPath}}
}

// maxTree bounds the entities of the tree; a branch that is cut links to a list of its own.
const maxTree = 300

// openTree is the size up to which all of a tree is shown unfolded.
const openTree = 40

// branch is an entity in the tree as it is shown.
type branch struct {
	*org.TreeNode
	Below  int  // entities under it, at any depth
	Hidden bool // those directly under it are not shown here
	Open   bool
	Shown  []*branch
}

// branchOf turns a tree into the shown part: level by level, up to maxTree.
func branchOf(root *org.TreeNode) *branch {
	top := &branch{TreeNode: root, Below: below(root)}
	room := maxTree
	for level := []*branch{top}; len(level) > 0; {
		var next []*branch
		for _, b := range level {
			if b.Hidden = len(b.Children) > room; b.Hidden {
				continue
			}
			room -= len(b.Children)
			b.Open = top.Below <= openTree || b == top
			for _, child := range b.Children {
				b.Shown = append(b.Shown, &branch{TreeNode: child, Below: below(child)})
			}
			next = append(next, b.Shown...)
		}
		level = next
	}
	return top
}

func below(n *org.TreeNode) int {
	total := len(n.Children)
	for _, child := range n.Children {
		total += below(child)
	}
	return total
}
