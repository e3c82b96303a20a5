package realtime

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/platform/realtime"
)

// Path of the WebSocket, below the base path.
const Path = "/ws"

// Register adds the WebSocket. It is a plain handler, because it takes the connection over; it asks for the token itself,
// which a browser cannot send in the usual header.
func Register(r *kit.Registry, hub *Hub) {
	r.Router.GET(Path, func(c *gin.Context) { hub.ServeHTTP(c.Writer, c.Request) })
	r.Huma.OpenAPI().AddOperation(connectOperation(r))
}

func connectOperation(r *kit.Registry) *huma.Operation {
	id := func(name, description string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Required: true, Description: description, Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}}
	}
	c := kit.Codes{}
	c.Add(http.StatusBadRequest, "BAD_HANDSHAKE", "not a handshake of WebSocket version 13")
	c.Add(http.StatusUpgradeRequired, "UPGRADE_REQUIRED", "not a WebSocket, or not HTTP/1.1")
	c.Add(http.StatusServiceUnavailable, "STORE_UNAVAILABLE", "a database does not answer; connect again")
	c.Add(http.StatusInternalServerError, "INTERNAL", "an error of the server, which is logged under request_id")
	c.AddErrors(middleware.ErrRateLimited, auth.ErrUnauthenticated, auth.ErrTokenExpired, auth.ErrForbidden, ErrOrigin, ErrDeviceID, ErrBusy,
		devices.ErrDeviceNotFound, devices.ErrSessionNotFound, devices.ErrBlocked, devices.ErrSuspended, devices.ErrInactive, devices.ErrSessionHeld, devices.ErrSessionEnded)
	op := &huma.Operation{
		OperationID: "connect", Method: http.MethodGet, Path: Path, Tags: []string{"Realtime"},
		Summary: "News for a device session, over a WebSocket",
		Description: "Each message is `{event, id, at, data}` with one of the events " + realtime.SessionTerminated + ", " + realtime.DrawClosed + ", " +
			realtime.ResultPublished + ", " + realtime.TicketUpdated + ", " + realtime.LimitsChanged + " and " + realtime.MessageUpdated + ". " +
			"Delivery is at most once: read the state again after each connection. A browser offers the subprotocols `banca` and `bearer.<token>` instead of " +
			"the Authorization header; where neither is possible the token may be in the query. The server pings every 25 s. It closes with 1001 when it goes away, " +
			"1013 when the client is too slow, 4001 when the session has a newer connection, and 4003 when the session has ended (docs/pos.md). /asyncapi.json has the schema of each event.",
		Parameters: []*huma.Param{
			id("deviceId", "the device"), id("sessionId", "its session, from POST /auth/devices/validate"),
			{Name: "token", In: "query", Description: "access token, as a last resort", Schema: &huma.Schema{Type: huma.TypeString}},
			{Name: "Sec-WebSocket-Protocol", In: "header", Description: "banca, bearer.<access token>", Schema: &huma.Schema{Type: huma.TypeString}},
		},
		Security:   []map[string][]string{{kit.BearerScheme: {}}},
		Extensions: map[string]any{kit.RolesField: kit.SignedIn().Roles()},
		Responses:  map[string]*huma.Response{"101": {Description: "The connection is a WebSocket now"}, "default": r.ProblemResponse("Any other error; treat it by its status")},
	}
	r.AddProblems(op, c)
	return op
}
