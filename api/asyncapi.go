package api

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	sockets "banca/api/realtime"
	"banca/internal/platform/realtime"
)

// object is an object of the AsyncAPI document, for which huma has no types.
type object = map[string]any

// eventTexts describes the events by name: when each is sent, and to which connections.
func eventTexts() map[string]string {
	return map[string]string{
		realtime.SessionTerminated: "A session ended. Sent to its connections, which are closed after it.",
		realtime.DrawClosed: "A draw takes no more sales. Sent to all connections at the stop of their entity; where that is earlier than the draw's, again when the draw " +
			"closes; and with status suspended if the draw will not be held.",
		realtime.ResultPublished: "A result was verified. Sent to all connections; a version above 1 corrects an earlier one.",
		realtime.TicketUpdated: "A ticket was cancelled, refunded, won, paid, unpaid, expired or changed by a correction, or its picture is there. Sent to devices of the " +
			"selling entity, for at most 2,000 tickets of a draw.",
		realtime.LimitsChanged:  "Limits changed, or an element was blocked. Sent to all connections below the entity.",
		realtime.MessageUpdated: "A message has another status. Sent to devices of the entity; sending is not reported.",
	}
}

const asyncText = "Events of GET /ws, the WebSocket of a device session. Each message is `{event, id, at, data}`. Delivery is at most once: an event says " +
	"that something changed, so read the state again after each connection, and ignore events and properties that you do not know. The server pings every 25 s. " +
	"It closes with 1001 if it goes away, 1013 if the client reads too slowly, 4001 if the session has a newer connection, 4003 if the session ended, and 1008 " +
	"after an unexpected message. The HTTP operations, the handshake among them, are described by /openapi.json."

// asyncAPI is the AsyncAPI document of the WebSocket, built from the Go types of the events.
func (a *API) asyncAPI() ([]byte, error) {
	schemas := huma.NewMapRegistry(kit.SchemaPrefix, schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[uuidText]())
	messages, inChannel, sent := object{}, object{}, []object{}
	for _, payload := range realtime.Payloads() {
		name := realtime.NameOf(payload)
		key := messageKey(name)
		messages[key] = object{
			"name": name, "title": name, "summary": eventTexts()[name], "contentType": kit.JSONType,
			"payload": eventSchema(schemas, name, payload),
		}
		inChannel[key] = object{"$ref": "#/components/messages/" + key}
		sent = append(sent, object{"$ref": "#/channels/ws/messages/" + key})
	}
	for name, text := range map[string]string{"ping": "Asks whether the connection lives; at most 60 a minute.", "pong": "The answer to a ping."} {
		messages[name] = object{
			"name": name, "title": name, "summary": text, "contentType": kit.JSONType,
			"payload": object{"type": "object", "required": []string{"type"}, "properties": object{"type": object{"const": name}}},
		}
		inChannel[name] = object{"$ref": "#/components/messages/" + name}
	}
	for _, schema := range schemas.Map() {
		schema.AdditionalProperties = nil // events may get further properties
	}
	return json.Marshal(object{
		"asyncapi": "3.1.0", "defaultContentType": kit.JSONType,
		"info": object{
			"title": documentTitle + " events", "version": documentVersion, "description": asyncText,
			"contact": a.contact(), "license": object{"name": licenseName},
			"tags": []object{{"name": "Realtime", "description": "Events over a WebSocket."}},
		},
		"servers":  a.asyncServers(),
		"channels": object{"ws": a.asyncChannel(inChannel)},
		"operations": object{
			"sendEvent": object{
				"action": "send", "channel": object{"$ref": "#/channels/ws"}, "title": "Events", "summary": "The server sends an event", "messages": sent,
			},
			"receivePing": object{
				"action": "receive", "channel": object{"$ref": "#/channels/ws"}, "title": "Ping", "summary": "The client asks whether the connection lives",
				"messages": []object{{"$ref": "#/channels/ws/messages/ping"}},
				"reply":    object{"channel": object{"$ref": "#/channels/ws"}, "messages": []object{{"$ref": "#/channels/ws/messages/pong"}}},
			},
		},
		"components": object{
			"messages": messages, "schemas": schemas.Map(),
			"securitySchemes": object{kit.BearerScheme: object{
				"type": "http", "scheme": "bearer", "bearerFormat": "JWT",
				"description": "Access token in the Authorization header; or in the subprotocols `banca` and `bearer.<token>`; or, as a last resort, in the query.",
			}},
		},
	})
}

// eventSchema is the schema of a whole message.
func eventSchema(schemas huma.Registry, name string, payload realtime.Payload) object {
	return object{
		"type": "object", "required": []string{"event", "id", "at", "data"},
		"properties": object{
			"event": object{"const": name},
			"id":    object{"type": "string", "format": "uuid", "description": "id of the event"},
			"at":    object{"type": "string", "format": "date-time", "description": "when the change took place"},
			"data":  schemas.Schema(reflect.TypeOf(payload), true, ""),
		},
	}
}

func (a *API) asyncChannel(messages object) object {
	id := func(text string) object {
		return object{"type": "string", "format": "uuid", "description": text}
	}
	return object{
		"address": sockets.Path, "title": "Device session", "description": "One connection of a device session.", "messages": messages,
		"bindings": object{"ws": object{"method": "GET", "bindingVersion": "0.1.0", "query": object{
			"type": "object", "required": []string{"deviceId", "sessionId"},
			"properties": object{
				"deviceId": id("the device"), "sessionId": id("its session, from POST /auth/devices/validate"),
				"token": object{"type": "string", "description": "access token, as a last resort"},
			},
		}}},
	}
}

// asyncServers describes the server of PUBLIC_URL; without one, the address of `banca-dev dev`.
func (a *API) asyncServers() object {
	server := object{
		"host": "127.0.0.1:8080", "protocol": "ws", "description": "The server of this document.",
		"security": []object{{"$ref": "#/components/securitySchemes/" + kit.BearerScheme}},
	}
	if address, err := url.Parse(a.deps.PublicURL); err == nil && address.Host != "" {
		server["host"] = address.Host
		server["protocol"] = strings.Replace(address.Scheme, "http", "ws", 1)
	}
	if a.deps.BasePath != "" {
		server["pathname"] = a.deps.BasePath
	}
	return object{"api": server}
}

// messageKey is the name of an event as a key: drawClosed of draw.closed.
func messageKey(name string) string {
	first, second, _ := strings.Cut(name, ".")
	return first + strings.ToUpper(second[:1]) + second[1:]
}
