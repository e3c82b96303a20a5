package contract_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/contract"
)

const document = `{
	"openapi": "3.1.0", "servers": [{"url": "https://banca.example.com/api"}],
	"paths": {
		"/things/{id}": {"get": {"operationId": "get-thing", "responses": {
			"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
			"404": {"$ref": "#/components/responses/NotFound"}}}},
		"/things/new": {"post": {"operationId": "new-thing", "responses": {"204": {"description": "done"}}}}},
	"components": {
		"responses": {"NotFound": {"x-error-codes": {"NOT_FOUND": "it does not exist"}, "content": {"application/problem+json": {"schema": {"type": "object"}}}}},
		"schemas": {"Thing": {"type": "object", "required": ["id"], "properties": {
			"id": {"type": "string", "format": "uuid"}, "parent": {"type": ["string", "null"]}}}}}
}`

func TestCheck(t *testing.T) {
	t.Parallel()
	d, err := contract.Parse([]byte(document))
	require.NoError(t, err)
	const id, json = `"id":"01900000-0000-7000-8000-000000000001"`, "application/json; charset=utf-8"
	for _, c := range []struct {
		name, method, path string
		status             int
		media, body, want  string // want is part of the error
	}{
		{name: "fits", path: "/things/1", status: 200, media: json, body: `{` + id + `,"parent":null}`},
		{name: "HEAD has no body", method: "HEAD", path: "/things/1", status: 200},
		{name: "null", path: "/things/1", status: 200, media: json, body: `{"id":null}`, want: "/id"},
		{name: "format", path: "/things/1", status: 200, media: json, body: `{"id":"1"}`, want: "/id"},
		{name: "missing", path: "/things/1", status: 200, media: json, body: `{}`, want: "missing property"},
		{name: "not described", path: "/things/1", status: 200, media: json, body: `{` + id + `,"more":1}`, want: "more"},
		{name: "not JSON", path: "/things/1", status: 200, media: json, body: `{`, want: "not JSON"},
		{name: "content type", path: "/things/1", status: 200, media: "text/html", body: `{}`, want: "text/html"},
		{name: "status", path: "/things/1", status: 500, media: json, body: `{}`, want: "the status is not among"},
		{name: "a referenced response", path: "/things/1", status: 404, media: "application/problem+json", body: `[]`, want: "got array"},
		{name: "a listed code", path: "/things/1", status: 404, media: "application/problem+json", body: `{"code":"NOT_FOUND"}`},
		{name: "another code", path: "/things/1", status: 404, media: "application/problem+json", body: `{"code":"GONE"}`, want: "GONE"},
		{name: "no body", method: "POST", path: "/things/new", status: 204},
		{name: "a body", method: "POST", path: "/things/new", status: 204, body: "x", want: "a body"},
		{name: "method", method: "POST", path: "/things/1", status: 200, want: "no such method"},
		{name: "method refused", method: "POST", path: "/things/1", status: 405},
		{name: "another path", path: "/elsewhere", status: 200},
	} {
		method := c.method
		if method == "" {
			method = http.MethodGet
		}
		err := d.Check(&contract.Exchange{
			Method: method, Path: "/api" + c.path, Status: c.status, Header: http.Header{"Content-Type": {c.media}}, Body: []byte(c.body),
		})
		if c.want == "" {
			assert.NoError(t, err, c.name)
			continue
		}
		assert.ErrorContains(t, err, c.want, c.name)
	}
}
