package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
)

// Generator makes requests from the schemas of a document. The same seed makes the same requests.
type Generator struct {
	document *Document
	random   *rand.Rand

	Wild float64             // probability that a value is one that its schema refuses; 0 generates valid requests
	IDs  map[string][]string // values of UUIDs by the name of the parameter or property; "" for all others
}

// Request is a generated request. Path holds the query.
type Request struct {
	Method, Path, ContentType string
	Header                    map[string]string
	Body                      []byte
}

// String writes the request for a message.
func (r *Request) String() string {
	return fmt.Sprintf("%s %s %v\n%.2000q", r.Method, r.Path, r.Header, r.Body)
}

// NewGenerator returns a generator of requests.
func (d *Document) NewGenerator(seed uint64) *Generator {
	return &Generator{document: d, random: rand.New(rand.NewPCG(seed, seed))} //nolint:gosec // a test repeats it
}

// Described is an operation of the document.
type Described struct {
	ID, Method, Path string
	Public           bool // needs no token
}

// Operations lists the operations of the document, ordered by path and method.
func (d *Document) Operations() []Described {
	var all []Described
	for _, r := range d.routes {
		for method, value := range r.operations {
			operation, ok := value.(map[string]any)
			if !ok || operation["operationId"] == nil {
				continue
			}
			roles, _ := operation["x-roles"].([]any)
			id, _ := operation["operationId"].(string)
			all = append(all, Described{ID: id, Method: strings.ToUpper(method), Path: r.path, Public: len(roles) == 0})
		}
	}
	slices.SortFunc(all, func(a, b Described) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return all
}

// Request makes a request of an operation: every parameter and property that is required, and some of the others.
func (g *Generator) Request(o Described) *Request {
	operation := g.document.operationAt(o)
	r := &Request{Method: o.Method, Path: o.Path, Header: map[string]string{}}
	query := url.Values{}
	parameters, _ := operation["parameters"].([]any)
	for _, value := range parameters {
		p, _ := g.document.deref(value).(map[string]any)
		name, _ := p["name"].(string)
		if p["required"] != true && g.random.IntN(2) == 0 {
			continue
		}
		text := plain(g.value(p["schema"], name, 0))
		switch p["in"] {
		case "path":
			r.Path = strings.ReplaceAll(r.Path, "{"+name+"}", url.PathEscape(nonEmpty(text)))
		case "query":
			query.Set(name, text)
		case "header":
			r.Header[name] = printable(text)
		}
	}
	if g.wild() {
		query.Set("no_such_parameter", "1")
	}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	g.body(r, operation)
	return r
}

// operationAt finds an operation by its template.
func (d *Document) operationAt(o Described) map[string]any {
	for i := range d.routes {
		if d.routes[i].path == o.Path {
			operation, _ := d.routes[i].operations[strings.ToLower(o.Method)].(map[string]any)
			return operation
		}
	}
	return nil
}

// body fills in a body of one of the content types of the operation.
func (g *Generator) body(r *Request, operation map[string]any) {
	request, _ := g.document.deref(operation["requestBody"]).(map[string]any)
	content, _ := request["content"].(map[string]any)
	media := make([]string, 0, len(content))
	for name := range content {
		media = append(media, name)
	}
	if len(media) == 0 {
		return
	}
	slices.Sort(media)
	r.ContentType = media[g.random.IntN(len(media))]
	described, _ := content[r.ContentType].(map[string]any)
	value := g.value(described["schema"], "", 0)
	if r.ContentType == "multipart/form-data" {
		r.ContentType, r.Body = form(value)
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("null")
	}
	if g.wild() {
		raw = raw[:g.random.IntN(len(raw)+1)]
	}
	r.Body = raw
}

// form writes an object as a form.
func form(value any) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	fields, _ := value.(map[string]any)
	for name, field := range fields {
		part, err := w.CreateFormField(name)
		if err == nil {
			_, _ = part.Write([]byte(plain(field))) // a buffer takes everything
		}
	}
	_ = w.Close() // as above
	return w.FormDataContentType(), b.Bytes()
}

// deref follows a reference.
func (d *Document) deref(value any) any {
	if object, ok := value.(map[string]any); ok && object["$ref"] != nil {
		target, _ := d.resolve(object["$ref"])
		return target
	}
	return value
}

// plain writes a value as text.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

func nonEmpty(text string) string {
	if text == "" || text == "." || text == ".." {
		return "x"
	}
	return text
}

// printable returns the characters that a header can carry.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}
