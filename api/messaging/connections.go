package messaging

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
)

const connectionsPath = "/messaging/connections"

func (o *operations) registerConnections() {
	read, write := kit.Can(auth.MessagingRead), kit.Can(auth.MessagingConnect).Sensitive()
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "list-message-drivers", Method: http.MethodGet, Path: "/messaging/drivers",
		Summary: "The drivers of connections and their parameters",
	}), read, o.drivers)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "list-connections", Method: http.MethodGet, Path: connectionsPath,
		Summary: "Connections to providers of the caller's part of the organisation",
	}), read, o.listConnections)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "create-connection", Method: http.MethodPost, Path: connectionsPath,
		Summary: "Connect an entity to a provider of messages",
		Description: "`parameters` are listed by the driver (`GET /messaging/drivers`). Secret ones are stored sealed and never returned. In the state `qr` the picture of " +
			"`GET /messaging/connections/{id}/qr` is to be scanned with the telephone. A provider that fails leaves a connection that is `disconnected` with a `reason`: `connect` tries again. " +
			"Entities below use the connection too, unless they have their own.",
	}), write, o.createConnection,
		connections.ErrUnknownDriver, connections.ErrParameters, connections.ErrNoKeys, connections.ErrExists,
		connections.ErrNotFound, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "get-connection", Method: http.MethodGet, Path: connectionsPath + "/{id}",
		Summary: "A connection and its state",
	}), read, o.getConnection, connections.ErrNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "get-connection-qr", Method: http.MethodGet, Path: connectionsPath + "/{id}/qr",
		Summary:   "The QR code to scan, as a PNG",
		Responses: kit.ContentResponses("The QR code", map[string]*huma.Schema{"image/png": {Type: huma.TypeString, Format: "binary"}}),
	}), kit.Can(auth.MessagingConnect), o.qr, connections.ErrNotFound, connections.ErrNoQR)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "connect-connection", Method: http.MethodPost, Path: connectionsPath + "/{id}/connect",
		DefaultStatus: http.StatusOK, Summary: "Begin to link the account again",
	}), write, o.connect, connections.ErrNotFound, connections.ErrUnreadable)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "refresh-connection", Method: http.MethodPost, Path: connectionsPath + "/{id}/refresh",
		DefaultStatus: http.StatusOK, Summary: "Ask the provider for the state now",
	}), kit.Can(auth.MessagingConnect), o.refresh, connections.ErrNotFound, connections.ErrUnreadable)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "update-connection", Method: http.MethodPatch, Path: connectionsPath + "/{id}",
		Summary:     "Change a connection's name, pace or parameters",
		Description: "Omitted fields keep their value. A new key is used from the next message on; after a change of the address or the account, `connect` links it.",
	}), write, o.updateConnection,
		connections.ErrNotFound, connections.ErrUnknownDriver, connections.ErrParameters, connections.ErrNoKeys,
		connections.ErrUnreadable)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "test-connection", Method: http.MethodPost, Path: connectionsPath + "/{id}/test",
		Summary:     "Send a test message through a connection",
		Description: "The text is fixed. The message is queued, paced and logged as any other: `GET /messaging/logs/{log_id}` shows what became of it.",
	}), write, o.testConnection,
		connections.ErrNotFound, messaging.ErrInvalidRecipient, org.ErrEntityNotFound, idempotency.ErrUnknownOutcome)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "log-out-connection", Method: http.MethodPost, Path: connectionsPath + "/{id}/logout",
		DefaultStatus: http.StatusOK, Summary: "Unlink the telephone",
	}), write, o.logOut,
		connections.ErrNotFound, connections.ErrUnreadable, connections.ErrNotLinked, connections.ErrProvider)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "delete-connection", Method: http.MethodDelete, Path: connectionsPath + "/{id}",
		DefaultStatus: http.StatusOK, Summary: "Delete a connection and its account at the provider",
	}), write, o.deleteConnection, connections.ErrNotFound, connections.ErrUnreadable, connections.ErrProvider)
}

type driver struct {
	Driver     string      `json:"driver" example:"evolution"`
	Linked     bool        `json:"linked" doc:"the account is linked to a telephone by a QR code"`
	Parameters []parameter `json:"parameters" nullable:"false"`
}

type parameter struct {
	Name      string `json:"name"`
	Kind      string `json:"kind" enum:"url,name,digits,text"`
	Secret    bool   `json:"secret" doc:"stored sealed and never returned"`
	Required  bool   `json:"required"`
	Generated bool   `json:"generated" doc:"made at random when it is missing"`
	Default   string `json:"default"`
	MinLength int    `json:"min_length"`
	MaxLength int    `json:"max_length"`
}

func (o *operations) drivers(context.Context, caller.Caller, *struct{}) (*kit.List[driver], error) {
	list := []driver{}
	for name, parameters := range o.connections.DriverParameters() {
		list = append(list, driver{Driver: name, Linked: o.connections.Linked(name), Parameters: kit.Map(parameters, func(p channel.Parameter) parameter {
			return parameter{p.Name, string(p.Kind), p.Secret, p.Required, p.Generated, p.Default, p.Min, p.Max}
		})})
	}
	slices.SortFunc(list, func(a, b driver) int { return strings.Compare(a.Driver, b.Driver) })
	return kit.AllOf(list), nil
}

type connection struct {
	ID         uuid.UUID         `json:"id"`
	EntityID   uuid.UUID         `json:"entity_id"`
	EntityName string            `json:"entity_name"`
	Name       string            `json:"name"`
	Driver     string            `json:"driver"`
	Parameters map[string]string `json:"parameters" nullable:"false" doc:"without the secret ones"`
	PerMinute  int               `json:"per_minute" doc:"messages"`
	State      string            `json:"state" enum:"disconnected,connecting,qr,passkey_required,open,banned,license_required"`
	Reason     string            `json:"reason" doc:"the provider's"`
	Phone      string            `json:"phone" doc:"of the linked telephone"`
	Code       string            `json:"code" doc:"to type into the telephone instead of scanning; mostly empty"`
	QR         bool              `json:"qr" doc:"whether there is a QR code to scan"`
	QRUntil    *time.Time        `json:"qr_until"`
	CheckedAt  time.Time         `json:"checked_at" doc:"when the provider last said the state"`
	CreatedAt  time.Time         `json:"created_at"`
	UpdatedAt  time.Time         `json:"updated_at"`
}

func connectionBody(c connections.Connection) connection {
	return connection{
		ID: c.ID, EntityID: c.EntityID, EntityName: c.EntityName, Name: c.Name, Driver: c.Driver,
		Parameters: c.Parameters, PerMinute: c.PerMinute, State: string(c.State),
		Reason: c.Reason, Phone: c.Phone, Code: c.Code, QR: c.HasQR(), QRUntil: kit.UTC(c.LinkUntil),
		CheckedAt: c.CheckedAt.UTC(), CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

func connectionData(c *connections.Connection, err error) (*kit.Data[connection], error) {
	if err != nil {
		return nil, err
	}
	return kit.DataOf(connectionBody(*c)), nil
}

// ConnectionBody is the body that creates a connection.
type ConnectionBody struct {
	EntityID   uuid.UUID         `json:"entity_id,omitzero" doc:"the caller's entity without it"`
	Name       string            `json:"name,omitempty" maxLength:"100"`
	Driver     string            `json:"driver" minLength:"1" maxLength:"40" example:"evolution"`
	Parameters map[string]string `json:"parameters" doc:"by the names that the driver lists"`
	PerMinute  int               `json:"per_minute,omitempty" minimum:"1" maximum:"6000" doc:"messages; 60 without it"`
}

type createConnectionInput struct{ Body ConnectionBody }

func (o *operations) createConnection(
	ctx context.Context, by caller.Caller, in *createConnectionInput,
) (*kit.Created[connection], error) {
	b := &in.Body
	w := connections.Wish{
		EntityID: b.EntityID, Name: b.Name, Driver: b.Driver, Parameters: b.Parameters, PerMinute: b.PerMinute,
	}
	if w.EntityID == uuid.Nil {
		w.EntityID = by.EntityID
	}
	c, err := o.connections.Create(ctx, by, &w)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(connectionBody(*c), o.BasePath+connectionsPath+"/"+c.ID.String()), nil
}

func (o *operations) listConnections(
	ctx context.Context, by caller.Caller, in *kit.PageParams,
) (*kit.List[connection], error) {
	list, total, err := o.connections.List(ctx, by, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(list, connectionBody), in, total), nil
}

func (o *operations) getConnection(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[connection], error) {
	return connectionData(o.connections.Get(ctx, by, in.ID))
}

func (o *operations) connect(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[connection], error) {
	return connectionData(o.connections.Connect(ctx, by, in.ID))
}

func (o *operations) refresh(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[connection], error) {
	return connectionData(o.connections.Refresh(ctx, by, in.ID))
}

func (o *operations) logOut(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[connection], error) {
	return connectionData(o.connections.Logout(ctx, by, in.ID))
}

type deleteConnectionInput struct {
	kit.ByID
	Force bool `query:"force" doc:"also when the provider does not answer; its account stays there then"`
}

func (o *operations) deleteConnection(
	ctx context.Context, by caller.Caller, in *deleteConnectionInput,
) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.connections.Delete(ctx, by, in.ID, in.Force))
}

type qrOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

func (o *operations) qr(ctx context.Context, by caller.Caller, in *kit.ByID) (*qrOutput, error) {
	png, err := o.connections.QR(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return &qrOutput{ContentType: "image/png", CacheControl: "private, no-store", Body: png}, nil
}
