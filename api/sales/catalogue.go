package sales

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/gzipped"
	"banca/internal/sales"
)

func (o *operations) registerCatalogue() {
	unchanged := map[string]*huma.Response{
		"200": o.JSONResponse("The catalogue", kit.Envelope[catalogue]{}),
		"304": {Description: "The version that the client has is the current one"},
	}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-sales-catalogue", Method: http.MethodGet, Path: "/sales/catalogue", Tags: []string{"Sales"},
		Responses: unchanged,
		Summary:   "What a ticket point needs to sell, in one answer with a version",
		Description: "The games on sale that have an open draw, these draws, the bet types with their payouts and stakes in the currency, the currencies and the rules of the seller. " +
			"`version` changes with the content, and is the `ETag`, too (with `W/` if the client takes `gzip`, and the answer is compressed): send it as `If-None-Match`, and an unchanged catalogue is answered 304 without a body. " +
			"Read it again at the start, after the `sale_stop_at` of a draw, after `draw.closed`, and every few minutes. " +
			"What the wallet still covers changes with each sale and is at `GET /sales/quota`; what a limit still leaves is at `GET /risk/available`.",
	}, kit.Can(auth.SalesSell), o.getCatalogue,
		ledger.ErrCurrencyNotFound, org.ErrCannotSell, org.ErrEntityNotFound, sales.ErrNotTicketPoint)
}

// DeskParams name a seller and its currency.
type DeskParams struct {
	EntityID uuid.UUID `query:"entityId" doc:"the ticket point; the caller's own entity when left out"`
	Currency string    `query:"currency" default:"VES" maxLength:"36" doc:"code or id"`
}

func (p *DeskParams) desk(by caller.Caller) sales.Desk {
	desk := sales.Desk{EntityID: by.EntityID, Currency: p.Currency}
	if p.EntityID != uuid.Nil {
		desk.EntityID = p.EntityID
	}
	return desk
}

type catalogueInput struct {
	DeskParams

	Known   string `header:"If-None-Match" maxLength:"1000" doc:"the ETag of the catalogue that the client has"`
	Codings string `header:"Accept-Encoding" hidden:"true"`
}

type catalogueOutput struct {
	Status       int
	ContentType  string   `header:"Content-Type"`
	ETag         string   `header:"ETag"`
	CacheControl string   `header:"Cache-Control"`
	Coding       string   `header:"Content-Encoding"`
	Vary         []string `header:"Vary"` // in addition to Origin
	Body         []byte
}

func (o *operations) getCatalogue(ctx context.Context, by caller.Caller, in *catalogueInput) (*catalogueOutput, error) {
	c, err := o.sales.Catalogue(ctx, by, in.desk(by))
	if err != nil {
		return nil, err
	}
	body := catalogueBody(c)
	content, err := encode(body)
	if err != nil {
		return nil, err
	}
	body.Version = kit.TagOf(content)
	tag, compressed := `"`+body.Version+`"`, gzipped.Accepted(in.Codings)
	out := &catalogueOutput{Status: http.StatusNotModified, ETag: tag, CacheControl: "private, no-cache", Vary: []string{"Accept-Encoding"}}
	if compressed {
		out.ETag = "W/" + tag // the same catalogue in other bytes
	}
	if kit.TagKnown(in.Known, tag) {
		return out, nil
	}
	out.Status, out.ContentType = http.StatusOK, kit.JSONType
	if out.Body, err = encode(kit.Envelope[catalogue]{Data: body}); err != nil || !compressed {
		return out, err
	}
	out.Coding = gzipped.Coding
	out.Body, err = gzipped.Bytes(out.Body, gzipped.Fast)
	return out, err
}

// encode writes equal values as equal bytes, which a strong ETag promises.
func encode(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
}
