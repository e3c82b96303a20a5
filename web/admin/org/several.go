package org

import (
	"cmp"
	"net/http"
	"slices"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/web/kit"
)

const chosenField = "entity"

// several changes several entities directly below one: their choice, the effect of the change, or its outcome.
type several struct {
	Parent *org.TreeNode
	Review bool
	Done   bool
	Texts  string       // the prefix of the keys of its texts
	Hidden []kit.Option // the fields of the reviewed form

	path string // of the page
	form *kit.Form
	rows []severalRow
}

// severalRow is an entity with what the change does to it.
type severalRow struct {
	*org.TreeNode

	chosen bool
	reason string // why the change is refused; "" for none

	points int          // ticket points that sell now, it or below it
	sold   money.Amount // today

	effect *org.SettingEffect // of another rate; nil before the review
	state  string             // as above
}

// loadSeveral reads the entities below the one of the address, the caller's without one, and which of them are chosen.
func (p *pages) loadSeveral(r *kit.Request, path, texts string, form *kit.Form) (s several, err error) {
	s.path, s.Texts, s.form = path, texts, form.FillFrom(r)
	parent := cmp.Or(r.QueryID("parent"), r.Caller.EntityID)
	if s.Parent, err = p.Org.Tree(r.Context(), r.Caller, parent); err != nil {
		return s, err
	}
	chosen := r.Forms(chosenField)
	for _, child := range s.Parent.Children {
		s.rows = append(s.rows, severalRow{TreeNode: child, chosen: slices.Contains(chosen, child.ID.String())})
	}
	return s, nil
}

// Address is the form's address.
func (s *several) Address() string { return s.path + "?parent=" + s.Parent.ID.String() }

// Rates reports whether the change is of rates.
func (s *several) Rates() bool { return s.path == ratesPath }

// Form has the change, in the language of the page.
func (s *several) Form(v *kit.View) *kit.FormView { return s.form.View(v) }

// submit shows the effect of the change on the chosen entities, or makes it, and writes the page. try adds the
// effect, and returns the problem of the form. The entities are changed in turn: one that cannot be changed has a reason
// and stops no other.
func (s *several) submit(
	r *kit.Request, page any, try func() (problem string, err error), change func(row *severalRow) error,
) error {
	show := func(status int, problem string) error { return r.Write(status, "bulk", page, problem) }
	step := kit.StepOf(r)
	if step != kit.StepReview && step != kit.StepDo { // back to the choice, with what was chosen
		return show(http.StatusOK, "")
	}
	problem := r.T("bulk.none")
	if slices.ContainsFunc(s.rows, func(row severalRow) bool { return row.chosen }) {
		var err error
		if problem, err = try(); err != nil {
			return err
		}
	}
	if problem != "" {
		return show(http.StatusUnprocessableEntity, problem)
	}
	s.rows = slices.DeleteFunc(s.rows, func(row severalRow) bool { return !row.chosen })
	s.Done = kit.IsDone(r)
	if s.Review = !s.Done; s.Review {
		s.Hidden = append(kit.Sent(r), s.Hidden...)
		return show(http.StatusOK, "")
	}
	for i := range s.rows {
		if err := change(&s.rows[i]); err != nil {
			_, text, ok := r.Explain(err)
			if !ok {
				return err
			}
			s.rows[i].reason = text
		}
	}
	return show(http.StatusOK, "")
}

// nameColumn has the boxes to choose entities by, or their names.
func (s *several) nameColumn() kit.Column[severalRow] {
	return kit.Column[severalRow]{Title: "label.name", Cell: func(v *kit.View, row *severalRow) kit.Cell {
		if s.Review || s.Done {
			return kit.Wrap(row.Name).WithSecondLine(row.Code)
		}
		return v.Part("bulk-choice", map[string]any{
			"ID": row.ID, "Name": row.Name, "Code": row.Code, "Chosen": row.chosen,
		})
	}}
}

// typeColumn has the types of the entities.
func typeColumn() kit.Column[severalRow] {
	return kit.WordColumn("label.type", func(v *kit.View, row *severalRow) string { return v.T("type." + row.Type) })
}
