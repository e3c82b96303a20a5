package contract

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resource is the name of the document in the compiler.
const resource = "openapi.json"

// Document is a parsed OpenAPI document. It is safe for concurrent use.
type Document struct {
	root   map[string]any
	routes []route
	base   string // path of the first server, without a slash at the end

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by pointer
}

// route is a path of the document.
type route struct {
	path       string
	match      *regexp.Regexp
	parameters int
	operations map[string]any // by method in lower case
}

// Parse reads an OpenAPI 3.1 document in JSON.
func Parse(raw []byte) (*Document, error) {
	root, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("contract: the document is a %T", root)
	}
	closeObjects(object)
	d := &Document{root: object, schemas: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(resource, object); err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	d.base = basePath(object)
	paths, _ := object["paths"].(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		d.routes = append(d.routes, newRoute(path, operations))
	}
	// A literal segment wins over a parameter.
	slices.SortFunc(d.routes, func(a, b route) int {
		if a.parameters != b.parameters {
			return a.parameters - b.parameters
		}
		return strings.Compare(a.path, b.path)
	})
	return d, nil
}

var parameter = regexp.MustCompile(`\\\{[^/]+?\\\}`)

func newRoute(path string, operations map[string]any) route {
	quoted := regexp.QuoteMeta(path)
	return route{
		path: path, operations: operations, parameters: strings.Count(path, "{"),
		match: regexp.MustCompile("^" + parameter.ReplaceAllString(quoted, `[^/]+`) + "$"),
	}
}

func basePath(root map[string]any) string {
	servers, _ := root["servers"].([]any)
	if len(servers) == 0 {
		return ""
	}
	server, _ := servers[0].(map[string]any)
	text, _ := server["url"].(string)
	address, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(address.Path, "/")
}

// Operation returns the path template and the operation of a request; ok is false if the document has none.
func (d *Document) Operation(method, path string) (template string, operation map[string]any, ok bool) {
	path = strings.TrimPrefix(path, d.base)
	for i := range d.routes {
		if !d.routes[i].match.MatchString(path) {
			continue
		}
		operation, ok = d.routes[i].operations[strings.ToLower(method)].(map[string]any)
		return d.routes[i].path, operation, ok
	}
	return "", nil, false
}

// validate checks a value against the schema at a JSON pointer of the document.
func (d *Document) validate(pointer string, value any) error {
	d.mu.Lock()
	schema, ok := d.schemas[pointer]
	if !ok {
		var err error
		if schema, err = d.compiler.Compile(resource + "#" + pointer); err != nil {
			d.mu.Unlock()
			return fmt.Errorf("schema %s: %w", pointer, err)
		}
		d.schemas[pointer] = schema
	}
	d.mu.Unlock()
	return schema.Validate(value)
}

// closeObjects forbids unlisted properties in schemas that do not set additionalProperties.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		_, described := v["properties"].(map[string]any)
		if _, said := v["additionalProperties"]; described && !said && v["type"] != nil {
			v["additionalProperties"] = false
		}
		for key, inner := range v {
			if key != "example" && key != "examples" {
				closeObjects(inner)
			}
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

func decode(raw []byte) (any, error) { return jsonschema.UnmarshalJSON(bytes.NewReader(raw)) }

// at returns the member of an object at a path of keys, following references.
func (d *Document) at(value any, keys ...string) (any, string) {
	pointer := ""
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value, pointer = object[key], pointer+"/"+escape(key)
		if next, _ := value.(map[string]any); next["$ref"] != nil {
			value, pointer = d.resolve(next["$ref"])
		}
	}
	return value, pointer
}

// resolve returns the target of a reference within the document.
func (d *Document) resolve(ref any) (any, string) {
	text, _ := ref.(string)
	pointer := strings.TrimPrefix(text, "#")
	var value any = d.root
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, _ := value.(map[string]any)
		value = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return value, pointer
}

func escape(key string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(key))
}
