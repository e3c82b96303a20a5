package api

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/realtime"
)

// asyncSchema compiles the schema of an event's message. Its objects are closed for the test, so that a field that the
// document does not describe is found.
func asyncSchema(t *testing.T, raw []byte, event string) *jsonschema.Schema {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	document, _ := root.(map[string]any)
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for _, schema := range schemas {
		closed, _ := schema.(map[string]any)
		closed["additionalProperties"] = false
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("asyncapi.json", root))
	schema, err := compiler.Compile("asyncapi.json#/components/messages/" + messageKey(event) + "/payload")
	require.NoError(t, err)
	return schema
}

// filled returns a payload of the same type with every field set.
func filled(t *testing.T, p realtime.Payload) realtime.Payload {
	t.Helper()
	v := reflect.New(reflect.TypeOf(p)).Elem()
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		first, _, _ := strings.Cut(tag.Get("enum"), ",")
		switch f.Interface().(type) {
		case uuid.UUID:
			f.Set(reflect.ValueOf(uuid.New()))
		case time.Time:
			f.Set(reflect.ValueOf(time.Now().UTC()))
		case string:
			f.SetString(first + "x"[:min(1, max(0, 1-len(first)))])
		case int:
			f.SetInt(7)
		case []string:
			f.Set(reflect.ValueOf([]string{"MEGA"}))
		default:
			require.Fail(t, "a type that this test does not fill", f.Type())
		}
	}
	made, ok := reflect.TypeAssert[realtime.Payload](v)
	require.True(t, ok)
	return made
}

// Every event, with all of its fields and with none but the required ones, fits the AsyncAPI document.
func TestAsyncAPIDescribesEveryEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	document, err := b.events()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, p := range realtime.Payloads() {
		name := realtime.NameOf(p)
		seen[name] = true
		assert.NotEmpty(t, eventTexts()[name], name)
		schema := asyncSchema(t, document, name)
		raw, err := json.Marshal(realtime.EventOf(time.Now(), filled(t, p)))
		require.NoError(t, err)
		event, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(event), string(raw))

		message, _ := event.(map[string]any)
		data, _ := message["data"].(map[string]any)
		assert.Len(t, data, reflect.TypeOf(p).NumField(), "every field is sent: %s", raw)
		data["more"] = 1
		require.Error(t, schema.Validate(event), "a field that is not described is found")
	}
	assert.Len(t, seen, len(eventTexts()))
}

// Domains publish payloads of package realtime only, so that the document has them all.
func TestEventsHaveTypes(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"../internal/*/*.go", "../internal/platform/*/*.go", "../api/realtime/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			if !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "../internal/dev/bench/") {
				assert.NotContains(t, string(source), "realtime.NewEvent(", file)
			}
		}
	}
}

// The document is served, names the server of PUBLIC_URL, and describes how a connection is made.
func TestAsyncAPIIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.run(t, []scenario{
		{name: "AsyncAPI", path: "/asyncapi.json", status: 200, has: []string{`"asyncapi":"3.1.0"`, `"banca.example.com"`, `"wss"`, `"address":"/ws"`, "draw.closed", "deviceId"}},
		{name: "its link", path: "/openapi.json", status: 200, has: []string{"/asyncapi.json"}},
	})
}
