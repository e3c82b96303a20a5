package org

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/pixels"
)

const documentsPath = "/entities/{id}/documents"

func (o *operations) registerDocuments() {
	tags := []string{"Organisation"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "attach-document", Method: http.MethodPost, Path: documentsPath, Tags: tags,
		MaxBodyBytes: MaxDocumentForm + 1,
		Summary:      "Attach a file to an entity",
		Description: "PNG, JPEG or PDF of up to 10 MiB; the content decides, not the name. Bytes behind the end of a picture are not kept. " +
			"While the store of documents is away the answer is 503 and nothing is changed.",
	}, kit.Can(auth.DocumentsWrite), o.attachDocument,
		errNoForm, pixels.ErrBusy, pixels.ErrTooMuchMemory, org.ErrDocumentBroken, org.ErrDocumentDimensions,
		org.ErrDocumentExists, org.ErrDocumentLimit, org.ErrDocumentMixed, org.ErrDocumentStore,
		org.ErrDocumentTooLarge, org.ErrDocumentType, org.ErrEntityNotFound, org.ErrInvalidDocument, org.ErrLogo)
	o.Huma.OpenAPI().Paths[documentsPath].Post.RequestBody = documentForm() // afterwards: huma would parse a described form as JSON
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-documents", Method: http.MethodGet, Path: documentsPath, Tags: tags,
		Summary: "Documents of an entity, newest first, each with an address that reads it for five minutes",
	}, kit.Can(auth.DocumentsRead), o.listDocuments, org.ErrDocumentStore, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "remove-document", Method: http.MethodDelete, Path: documentsPath + "/{document_id}", Tags: tags,
		Summary: "Remove a document of an entity",
	}, kit.Can(auth.DocumentsWrite).Sensitive(), o.removeDocument, org.ErrDocumentNotFound, org.ErrEntityNotFound)
}

// documentForm describes the form of a file, which is read by [readDocument].
func documentForm() *huma.RequestBody {
	kinds := make([]any, 0, len(org.DocumentKinds()))
	for _, k := range org.DocumentKinds() {
		kinds = append(kinds, k)
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{kit.FormType: {Schema: &huma.Schema{
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
	Kind        string    `json:"kind" enum:"tax_id,identity_card,local_photo,logo,other"`
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
	kit.ByID
	ContentType string `header:"Content-Type" hidden:"true"`
	RawBody     []byte `contentType:"multipart/form-data"`
}

func (o *operations) attachDocument(
	ctx context.Context, by caller.Caller, in *documentInput,
) (*kit.Created[document], error) {
	n := &org.NewDocument{EntityID: in.ID}
	if err := readDocument(in.ContentType, in.RawBody, n); err != nil {
		return nil, err
	}
	d, err := o.entities.Attach(ctx, by, n)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(documentBody(*d), o.BasePath+"/entities/"+in.ID.String()+"/documents"), nil
}

func (o *operations) listDocuments(ctx context.Context, by caller.Caller, in *struct {
	kit.ByID
	kit.PageParams
}) (*kit.List[document], error) {
	all, err := o.entities.Documents(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(kit.PageOf(all, &in.PageParams), documentBody), &in.PageParams, int64(len(all))), nil
}

func (o *operations) removeDocument(ctx context.Context, by caller.Caller, in *struct {
	kit.ByID
	DocumentID uuid.UUID `path:"document_id"`
}) (*kit.Data[kit.Deleted], error) {
	if err := o.entities.Detach(ctx, by, org.DocumentRef{EntityID: in.ID, ID: in.DocumentID}); err != nil {
		return nil, err
	}
	return kit.DataOf(kit.Deleted{ID: in.DocumentID.String(), Deleted: true}), nil
}

func documentBody(d org.Document) document {
	return document{
		ID: d.ID, EntityID: d.EntityID, Kind: d.Kind, Name: d.Name, ContentType: d.ContentType, Size: d.Size,
		Width: kit.Optional(d.Width), Height: kit.Optional(d.Height),
		CreatedBy: d.CreatedBy, CreatedAt: d.CreatedAt, URL: d.URL, ExpiresAt: d.ExpiresAt,
	}
}
