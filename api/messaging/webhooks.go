package messaging

import (
	"context"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/internal/notices"
)

// WebhooksPath begins the paths that providers call. They count against no rate limit of an address, because a provider reports each message
// several times; refused calls have a bound of their own.
const WebhooksPath = "/messaging/webhooks/"

// WebhookParameter names the connection in those paths.
const WebhookParameter = "connection_id"

func (o *operations) registerWebhooks() {
	const path = WebhooksPath + "{" + WebhookParameter + "}"
	kit.HandlePublic(o.Registry, tagged(huma.Operation{
		OperationID: "challenge-messaging", Method: http.MethodGet, Path: path, Summary: "The request by which a provider verifies the address of a webhook",
		Responses: kit.ContentResponses("The challenge", map[string]*huma.Schema{"text/plain": {Type: huma.TypeString}}),
	}), kit.Public(), o.challenge,
		connections.ErrNotFound, connections.ErrUnreadable, connections.ErrSignature, connections.ErrTooManyRefused)
	kit.HandlePublic(o.Registry, tagged(huma.Operation{
		OperationID: "report-messaging", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusOK, SkipValidateBody: true, // its driver reads it
		Summary:     "A provider reports of messages and of the account",
		Description: "Only for the connection's provider: the body is verified by the signature or the secret that its driver defines (docs/messaging.md). Reports may come twice and out of order.",
	}), kit.Public(), o.report,
		connections.ErrNotFound, connections.ErrUnreadable, connections.ErrSignature, connections.ErrWebhook,
		connections.ErrTooManyRefused)
}

type challengeInput struct {
	ConnectionID uuid.UUID `path:"connection_id"`
	Mode         string    `query:"hub.mode" maxLength:"40"`
	Token        string    `query:"hub.verify_token" maxLength:"200"`
	Challenge    string    `query:"hub.challenge" maxLength:"200"`
}

type textOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (o *operations) challenge(ctx context.Context, in *challengeInput) (*textOutput, error) {
	query := url.Values{"hub.mode": {in.Mode}, "hub.verify_token": {in.Token}, "hub.challenge": {in.Challenge}}
	answer, err := o.connections.Answer(ctx, &connections.Challenge{Connection: in.ConnectionID, Query: query, Address: middleware.ClientAddress(ctx)})
	if err != nil {
		return nil, err
	}
	return &textOutput{ContentType: "text/plain; charset=utf-8", Body: []byte(answer)}, nil
}

// webhookInput has the raw body, which signatures are of, and all headers, of which the driver knows the one that it needs.
type webhookInput struct {
	ConnectionID uuid.UUID `path:"connection_id"`
	RawBody      []byte    `contentType:"application/json"`

	header http.Header
}

// Resolve implements huma.Resolver.
func (in *webhookInput) Resolve(ctx huma.Context) []error {
	in.header = http.Header{}
	ctx.EachHeader(in.header.Add)
	return nil
}

type received struct {
	Received bool `json:"received"`
}

// inbound does what customers wrote.
func (o *operations) inbound(ctx context.Context, connection uuid.UUID, list []channel.Inbound) error {
	if len(list) == 0 {
		return nil
	}
	entity, err := o.connections.Owner(ctx, connection)
	if err != nil {
		return err
	}
	return o.notices.Inbound(ctx, notices.Received{ChannelID: connection, EntityID: entity, Texts: list})
}

func (o *operations) report(ctx context.Context, in *webhookInput) (*kit.Data[received], error) {
	report, err := o.connections.Report(ctx, &connections.Webhook{
		Connection: in.ConnectionID, Header: in.header, Body: in.RawBody, Address: middleware.ClientAddress(ctx),
	})
	if err != nil {
		return nil, err
	}
	if err := o.messages.Reported(ctx, in.ConnectionID, report.Statuses); err != nil {
		return nil, err
	}
	if err := o.inbound(ctx, in.ConnectionID, report.Inbound); err != nil {
		return nil, err
	}
	return kit.DataOf(received{Received: true}), nil
}
