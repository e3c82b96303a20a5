package kit

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"banca/api/problem"
	"banca/internal/platform/apperr"
)

// MaxFile bounds a file of a form, in bytes, and maxUpload the form with it.
const (
	MaxFile   = 10 << 20
	maxUpload = MaxFile + 64<<10
)

// limitUpload refuses a form with a file that is too large.
func limitUpload(r *Request) error {
	if !r.route.Uploads || !strings.HasPrefix(r.c.ContentType(), "multipart/") {
		return nil
	}
	request := r.c.Request
	request.Body = http.MaxBytesReader(r.c.Writer, request.Body, maxUpload)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](request.ParseMultipartForm(maxUpload)); tooLarge {
		return Refuse(http.StatusRequestEntityTooLarge, "error.upload")
	}
	return nil
}

// File returns the name and the content of the form's file.
func (r *Request) File() (name string, content []byte, err error) {
	header, err := r.c.FormFile("file")
	if err != nil {
		return "", nil, err
	}
	file, err := header.Open()
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = file.Close() }()
	content, err = io.ReadAll(file)
	return header.Filename, content, err
}

// RefusedFields returns the fields that an error names with their first messages, without the prefix and without
// indexes: "footer[3]" is "footer".
func RefusedFields(err error, prefix string) map[string]string {
	wrong := map[string]string{}
	for _, d := range apperr.From(err).Details {
		at, ok := strings.CutPrefix(d.Location, prefix)
		if !ok {
			continue
		}
		key, _, _ := strings.Cut(at, "[")
		if _, known := wrong[key]; !known {
			wrong[key] = string(d.Message)
		}
	}
	return wrong
}

// Detail is an invalid part of a form, with a message in the language of the request.
type Detail struct{ Location, Message string }

// Details returns the invalid parts of a form that an error names.
func (r *Request) Details(err error) []Detail {
	var list []Detail
	for _, d := range problem.From(err).In(r.Language).Errors {
		list = append(list, Detail{Location: d.Location, Message: d.Message})
	}
	return list
}
