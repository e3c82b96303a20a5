package org

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/web/kit"
)

// savesRates reports whether the rates of the form are saved, not tried.
func savesRates(r *kit.Request) bool { return r.Form("action") != "try" }

// saveFinance changes rates and accounts, or shows what that would do.
func (p *pages) saveFinance(r *kit.Request) error {
	group, err := typedGroup(r)
	if err != nil {
		return err
	}
	ctx, try := r.Context(), !savesRates(r)
	change := &org.Change{Groups: org.Groups{org.GroupFinance: p.settable(r, group)}, DryRun: try}
	_, what, err := p.Org.Update(ctx, r.Caller, r.ID, change)
	if errors.Is(err, org.ErrRates) {
		change.DryRun = true
		if _, tried, again := p.Org.Update(ctx, r.Caller, r.ID, change); again == nil {
			what = tried
		}
	}
	put := func(page *entityPage) {
		page.Finance.retype(r)
		page.Finance.refuse(r.ID, err, what)
		page.OpenGroup, page.Tried = org.GroupFinance, what
	}
	if try && err == nil {
		return p.entity.Present(r, http.StatusOK, "", put)
	}
	return p.after(r, err, put)
}

// settable omits, for the root, the rates that it does not have: it grants them.
func (p *pages) settable(r *kit.Request, group org.Group) org.Group {
	if e, err := p.Org.Entity(r.Context(), r.Caller, r.ID); err == nil && e.ParentID == uuid.Nil {
		delete(group, "commissions")
		delete(group, "participation")
	}
	return group
}
