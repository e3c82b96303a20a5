package org

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"banca/api/kit"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/models"
)

const (
	// MaxDocumentForm is a document with the form around it, in bytes.
	MaxDocumentForm = org.MaxDocument + 64<<10
	maxKind         = 64
)

// errNoForm reports a body that is not a form with a file.
var errNoForm = apperr.New(apperr.Malformed, "INVALID_FORM", "expected multipart/form-data with the fields kind and file")

// readDocument parses the form of a file. It is parsed here because the bound of an upload applies to it, and nothing
// is spilled to disk before it is accepted.
func readDocument(contentType string, body []byte, into *org.NewDocument) error {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != kit.FormType || params["boundary"] == "" {
		return errNoForm
	}
	form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	seen := map[string]bool{}
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errNoForm.WithCause(err)
		}
		name := part.FormName()
		if seen[name] || (name != "kind" && name != "file") {
			return errNoForm
		}
		seen[name] = true
		if err := readPart(part, name, into); err != nil {
			return err
		}
	}
	if !seen["kind"] || !seen["file"] {
		return errNoForm
	}
	return nil
}

func readPart(part *multipart.Part, name string, into *org.NewDocument) error {
	most := int64(maxKind)
	if name == "file" {
		most = org.MaxDocument + 1
	}
	raw, err := io.ReadAll(io.LimitReader(part, most))
	if err != nil {
		return errNoForm.WithCause(err)
	}
	if name == "file" {
		if !models.Storable(part.FileName()) {
			return errNoForm
		}
		into.Content, into.Name = raw, part.FileName()
		return nil
	}
	into.Kind = string(raw)
	return nil
}

// Uploads are the routes that take a file, with the bytes of a body that are read.
func Uploads() map[string]int64 {
	return map[string]int64{"/entities/:id/documents": MaxDocumentForm + 1, importPath: kit.MaxUpload + 1}
}
