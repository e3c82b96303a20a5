package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/org"
)

const documentsPath = "/entities/{id}/documents"

func (a *API) registerDocuments() {
	tags := []string{"Organisation"}
	handle(a, huma.Operation{
		OperationID: "attach-document", Method: http.MethodPost, Path: documentsPath, Tags: tags, MaxBodyBytes: maxDocumentForm + 1,
		Summary: "Attach a file to an entity",
		Description: "PNG, JPEG or PDF of up to 10 MiB; the content decides, not the name. Bytes behind the end of a picture are not kept. " +
			"While the store of documents is away the answer is 503 and nothing is changed.",
	}, Can(auth.DocumentsWrite), a.attachDocument)
	a.huma.OpenAPI().Paths[documentsPath].Post.RequestBody = documentForm() // afterwards: huma would read a form it knows as JSON
	handle(a, huma.Operation{
		OperationID: "list-documents", Method: http.MethodGet, Path: documentsPath, Tags: tags,
		Summary: "Documents of an entity, newest first, each with an address that reads it for five minutes",
	}, Can(auth.DocumentsRead), a.listDocuments)
	handle(a, huma.Operation{
		OperationID: "remove-document", Method: http.MethodDelete, Path: documentsPath + "/{document_id}", Tags: tags, Summary: "Remove a document of an entity",
	}, Can(auth.DocumentsWrite).Sensitive(), a.removeDocument)
}

// documentForm describes the form of a file, which is read by [readDocument].
func documentForm() *huma.RequestBody {
	kinds := make([]any, 0, len(org.DocumentKinds()))
	for _, k := range org.DocumentKinds() {
		kinds = append(kinds, k)
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{formType: {Schema: &huma.Schema{
		Type: huma.TypeObject, Required: []string{"kind", "file"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"kind": {Type: huma.TypeString, Enum: kinds},
			"file": {Type: huma.TypeString, Format: "binary"},
		},
	}}}}
}

type document struct {
	ID          uuid.UUID `json:"id"`
	EntityID    uuid.UUID `json:"entityId"`
	Kind        string    `json:"kind" enum:"tax_id,identity_card,local_photo,other"`
	Name        string    `json:"name" doc:"of the file, with the extension of its content" example:"rif.pdf"`
	ContentType string    `json:"content_type" enum:"image/png,image/jpeg,application/pdf"`
	Size        int       `json:"size" doc:"bytes"`
	Width       *int      `json:"width" doc:"of a picture, in pixels"`
	Height      *int      `json:"height" doc:"of a picture, in pixels"`
	CreatedBy   uuid.UUID `json:"created_by"`
	CreatedAt   time.Time `json:"created_at"`
	URL         string    `json:"url" doc:"reads the file until expires_at, without a token"`
	ExpiresAt   time.Time `json:"expires_at"`
}

type documentInput struct {
	EntityParams
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

func (a *API) attachDocument(ctx context.Context, in *documentInput) (*Created[document], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	n := &org.NewDocument{Scope: scope, UserID: middleware.PrincipalFrom(ctx).UserID, EntityID: in.ID}
	if err := readDocument(in.ContentType, in.RawBody, n); err != nil {
		return nil, err
	}
	d, err := a.deps.Org.Attach(ctx, n)
	if err != nil {
		return nil, err
	}
	return created(documentBody(*d), a.deps.BasePath+"/entities/"+in.ID.String()+"/documents"), nil
}

func (a *API) listDocuments(ctx context.Context, in *struct {
	EntityParams
	PageParams
}) (*List[document], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	all, err := a.deps.Org.Documents(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return list(mapped(pageOf(all, &in.PageParams), documentBody), &in.PageParams, int64(len(all))), nil
}

func (a *API) removeDocument(ctx context.Context, in *struct {
	EntityParams
	DocumentID uuid.UUID `path:"document_id"`
}) (*Data[deleted], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.deps.Org.Detach(ctx, scope, in.ID, in.DocumentID); err != nil {
		return nil, err
	}
	return data(deleted{ID: in.DocumentID.String(), Deleted: true}), nil
}

func documentBody(d org.Document) document {
	return document{
		ID: d.ID, EntityID: d.EntityID, Kind: d.Kind, Name: d.Name, ContentType: d.ContentType, Size: d.Size, Width: given(d.Width), Height: given(d.Height),
		CreatedBy: d.CreatedBy, CreatedAt: d.CreatedAt, URL: d.URL, ExpiresAt: d.ExpiresAt,
	}
}
