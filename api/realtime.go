package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/internal/realtime"
)

const realtimePath = "/ws"

// registerRealtime adds the WebSocket. It is a plain handler, because it takes the connection over; it asks for
// the token itself, which a browser cannot send in the usual header.
func (a *API) registerRealtime() {
	a.engine.Group(a.deps.BasePath).GET(realtimePath, func(c *gin.Context) { a.deps.Realtime.ServeHTTP(c.Writer, c.Request) })
	a.huma.OpenAPI().AddOperation(a.realtimeOperation())
}

func (a *API) realtimeOperation() *huma.Operation {
	id := func(name, description string) *huma.Param {
		return &huma.Param{Name: name, In: "query", Required: true, Description: description, Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}}
	}
	responses := map[string]*huma.Response{"101": {Description: "The connection is a WebSocket now"}, "default": a.problemResponse("Error")}
	for status, why := range map[int]string{
		http.StatusBadRequest:         "Not a handshake of WebSocket version 13",
		http.StatusUnauthorized:       "No valid access token, or its session is over",
		http.StatusForbidden:          "The device or its session is not active, or pages of this origin may not connect",
		http.StatusNotFound:           "No such device in the caller's subtree, or no such session of this device and user",
		http.StatusUpgradeRequired:    "Not a WebSocket, or not HTTP/1.1",
		http.StatusServiceUnavailable: "No more connections at this moment",
	} {
		responses[strconv.Itoa(status)] = a.problemResponse(why)
	}
	return &huma.Operation{
		OperationID: "connect", Method: http.MethodGet, Path: realtimePath, Tags: []string{"Realtime"},
		Summary: "News for a device session, over a WebSocket",
		Description: "Each message is `{event, id, at, data}` with one of the events " + realtime.SessionTerminated + ", " + realtime.DrawClosed + ", " +
			realtime.ResultPublished + ", " + realtime.TicketUpdated + ", " + realtime.LimitsChanged + " and " + realtime.MessageUpdated + ". " +
			"Delivery is at most once: read the state anew after each connection. A browser offers the subprotocols `banca` and `bearer.<token>` instead of " +
			"the Authorization header; where neither is possible the token may be in the query. The server pings every 25 s. It closes with 1001 when it goes away, " +
			"1013 when the client is too slow, 4001 when the session has a newer connection, and 4003 when the session has ended (docs/pos.md).",
		Parameters: []*huma.Param{
			id("deviceId", "the device"), id("sessionId", "its session, from POST /auth/devices/validate"),
			{Name: "token", In: "query", Description: "access token, as a last resort", Schema: &huma.Schema{Type: huma.TypeString}},
			{Name: "Sec-WebSocket-Protocol", In: "header", Description: "banca, bearer.<access token>", Schema: &huma.Schema{Type: huma.TypeString}},
		},
		Security:   []map[string][]string{{bearerScheme: {}}},
		Extensions: map[string]any{rolesField: SignedIn().roles()}, Responses: responses,
	}
}
