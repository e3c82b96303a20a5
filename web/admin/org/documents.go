package org

import (
	"net/http"
	"time"

	"banca/internal/org"
	"banca/web/kit"
)

// attachForm is the form of a new document.
func attachForm(r *kit.Request) *kit.Form {
	return kit.NewForm(
		kit.ChoiceInput("kind", "label.kind", r.Options("document.", org.DocumentKinds()...)),
		kit.FileInput("label.file", "image/png,image/jpeg,application/pdf").WithRule("org.documents.hint", true).Required(),
	)
}

// AttachFields are the fields of a new document; a refused file says why.
func (p *entityPage) AttachFields(v *kit.View) []*kit.Field {
	fields := p.attach.Fields(v)
	if file := fields[1]; file.Wrong && v.Problem != "" {
		file.Reason = v.Problem
	}
	return fields
}

func (p *entityPage) documentColumns() []kit.Column[org.Document] {
	columns := []kit.Column[org.Document]{
		{Title: "label.name", Cell: func(v *kit.View, d *org.Document) kit.Cell {
			cell := v.Part("document", d)
			cell.Style = "wrap"
			return cell
		}},
		kit.WordColumn("label.kind", func(v *kit.View, d *org.Document) string { return v.T("document." + d.Kind) }),
		kit.WordColumn("label.size", func(v *kit.View, d *org.Document) string { return v.Size(d.Size) }).Numeric(),
		kit.TimeColumn("label.created", func(d *org.Document) time.Time { return d.CreatedAt }),
	}
	if p.Attaches {
		columns = append(columns, kit.Column[org.Document]{Cell: p.removeCell})
	}
	return columns
}

// removeCell asks before a document is removed.
func (p *entityPage) removeCell(v *kit.View, d *org.Document) kit.Cell {
	address := p.address("/documents/" + d.ID.String() + "/remove")
	return v.QuestionCell(v.Question(v.T("org.documents.remove"), address, v.T("org.documents.remove.ask", d.Name), v.T("org.documents.remove.do")).Irreversible(true))
}

// openDocuments opens the part of an entity's page with its documents, where a file was refused.
func openDocuments(page *entityPage) {
	page.OpenGroup = "documents"
	page.attach.Refuse("file")
}

// attach keeps a file as a document of an entity.
func (p *pages) attach(r *kit.Request) error {
	name, raw, err := r.File()
	if err != nil {
		return p.entity.Present(r, http.StatusBadRequest, r.T("error.file"), openDocuments)
	}
	_, err = p.Org.Attach(r.Context(), r.Caller, &org.NewDocument{
		EntityID: r.ID, Kind: r.Form("kind"), Name: name, Content: raw,
	})
	return p.after(r, err, openDocuments)
}

// openDocument redirects to a document by an address that is signed at that moment: a page may have been open for long.
func (p *pages) openDocument(r *kit.Request) error {
	document, err := r.ParamID("document")
	if err != nil {
		return err
	}
	d, err := p.Org.Document(r.Context(), r.Caller, org.DocumentRef{EntityID: r.ID, ID: document})
	if err != nil {
		return err
	}
	w, request := r.HTTP()
	http.Redirect(w, request, d.URL, http.StatusFound)
	return nil
}

func (p *pages) removeDocument(r *kit.Request) error {
	document, err := r.ParamID("document")
	if err != nil {
		return err
	}
	return p.after(r, p.Org.Detach(r.Context(), r.Caller, org.DocumentRef{EntityID: r.ID, ID: document}), openDocuments)
}
