package catalog

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"banca/api/kit"
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
)

const (
	dataField = "data"

	maxCatalogForm = 10 << 20 // bytes of an upload
	maxFormData    = 1 << 20
	maxFormFiles   = 110
)

var errCatalogForm = apperr.New(
	apperr.Malformed, "INVALID_FORM",
	"expected JSON, or multipart/form-data with the JSON in the field data and files in other fields",
)

// FormInput is a body in JSON, or a form with JSON in the field data and pictures in other fields. It is parsed here,
// like documents.
type FormInput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

// files are the pictures of a form by the names of their fields.
type files map[string][]byte

// read decodes the JSON strictly and returns the files. Which names those may have is the caller's to say.
func (in *FormInput) read(body any, fileName func(string) bool) (files, error) {
	media, params, err := mime.ParseMediaType(in.ContentType)
	if err == nil && media == kit.JSONType {
		return files{}, kit.Strict(in.RawBody, body)
	}
	if err != nil || media != kit.FormType || params["boundary"] == "" {
		return nil, errCatalogForm
	}
	given := files{}
	var doc []byte
	form := multipart.NewReader(bytes.NewReader(in.RawBody), params["boundary"])
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errCatalogForm.WithCause(err)
		}
		name := part.FormName()
		if name == dataField && doc == nil {
			if doc, err = bounded(part, maxFormData); err != nil {
				return nil, err
			}
			continue
		}
		if _, twice := given[name]; twice || !fileName(name) || len(given) == maxFormFiles {
			return nil, errCatalogForm
		}
		if given[name], err = bounded(part, catalog.MaxPicture+1); err != nil { // the domain refuses larger ones
			return nil, err
		}
	}
	if doc == nil {
		doc = []byte("{}")
	}
	return given, kit.Strict(unquoted(doc), body)
}

func bounded(part io.Reader, most int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(part, most))
	if err != nil {
		return nil, errCatalogForm.WithCause(err)
	}
	if raw == nil {
		raw = []byte{}
	}
	return raw, nil
}

// unquoted decodes a document that was sent as a JSON string, as some clients do.
func unquoted(doc []byte) []byte {
	var inner string
	if trimmed := bytes.TrimSpace(doc); len(trimmed) > 0 && trimmed[0] == '"' && json.Unmarshal(trimmed, &inner) == nil {
		return []byte(inner)
	}
	return doc
}

// formBody describes a body of FormInput: the same document as JSON, or in the field data of a form.
func (o *operations) formBody(path, method string, fields map[string]string, body *huma.Schema) {
	form := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		dataField: {Type: huma.TypeString, ContentEncoding: "", Description: "the JSON of the other form of this body, plain or as a JSON string"},
	}}
	var prefixes []string
	for name, description := range fields {
		if prefix, some := strings.CutSuffix(name, "*"); some {
			prefixes = append(prefixes, prefix)
			form.AdditionalProperties = &huma.Schema{Type: huma.TypeString, Format: "binary", Description: description}
			continue
		}
		form.Properties[name] = &huma.Schema{Type: huma.TypeString, Format: "binary", Description: description}
	}
	if prefixes == nil {
		form.AdditionalProperties = false
	}
	request := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{kit.JSONType: {Schema: body}, kit.FormType: {Schema: form}}}
	item := o.Huma.OpenAPI().Paths[path]
	for name, op := range map[string]*huma.Operation{"POST": item.Post, "PUT": item.Put} {
		if name == method {
			op.RequestBody = request
		}
	}
}
