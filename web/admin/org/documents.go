package org

import (
	"net/http"

	"banca/internal/org"
	"banca/web/kit"
)

// openDocuments opens the part of an entity's page with its documents.
func openDocuments(page *entityPage) { page.OpenGroup = "documents" }

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
