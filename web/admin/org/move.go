package org

import (
	"net/http"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/web/kit"
)

// movePage is the form that puts an entity elsewhere; what that would do is shown before it is confirmed.
type movePage struct {
	org.Entity

	To       string // code, as typed
	Form     *kit.Form
	Target   *org.Entity
	Tried    *org.RateEffect
	Subtree  int64
	Possible bool
}

func (p *pages) loadMove(r *kit.Request) (*movePage, error) {
	ctx, by := r.Context(), r.Caller
	e, err := p.Org.Entity(ctx, by, r.ID)
	if err != nil {
		return nil, err
	}
	page := &movePage{Entity: *e, To: r.Query("to")}
	if tree, err := p.Org.Tree(ctx, by, e.ID); err == nil {
		page.Subtree = int64(below(tree))
	}
	page.Form = kit.NewForm(kit.EntityInput("to", "label.parent").Required()).Put("to", page.To)
	return page, nil
}

// showMove shows the form and, where a place is given, tries the move.
func (p *pages) showMove(r *kit.Request) error { return p.presentMove(r, http.StatusOK, "") }

func (p *pages) presentMove(r *kit.Request, status int, problem string) error {
	page, err := p.loadMove(r)
	if err != nil {
		return err
	}
	if page.To != "" {
		if err := p.tryMove(r, page); err != nil {
			refused, text, ok := r.Explain(err)
			if !ok {
				return err
			}
			status, problem = max(refused, http.StatusConflict), text
			page.Form.Refuse("to")
		}
	}
	return r.Write(status, p.move.Template, page, problem)
}

// tryMove shows the effect of the move to the typed parent.
func (p *pages) tryMove(r *kit.Request, page *movePage) error {
	ctx, by := r.Context(), r.Caller
	to, err := p.Org.Named(ctx, by, page.To)
	if err != nil {
		return err
	}
	if page.Target, err = p.Org.Entity(ctx, by, to); err != nil {
		return err
	}
	_, page.Tried, err = p.Org.Move(ctx, by, org.MoveRequest{EntityID: page.ID, ParentID: to, DryRun: true})
	page.Possible = err == nil && len(page.Tried.Violations) == 0 && page.ParentID != to
	return err
}

// moveNow moves an entity to the place that was shown.
func (p *pages) moveNow(r *kit.Request) error {
	to := r.FormID("parent")
	if to == uuid.Nil {
		return kit.InvalidForm()
	}
	_, _, err := p.Org.Move(r.Context(), r.Caller, org.MoveRequest{EntityID: r.ID, ParentID: to})
	if err == nil {
		return r.Done(path+"/"+r.ID.String(), "entity.moved")
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return p.presentMove(r, status, text)
}
