package kit

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"banca/models"
)

// aliasField is the extension of a query parameter that names its other spelling.
const aliasField = "x-alias"

// addressed lets a request pass whose address is text that can be stored, and whose query has the parameters of the
// operation only, each once; one that is described as a list of repeated values may be repeated. A parameter is taken as entityId and as entity_id: the query is rewritten to the spelling
// of the document.
func (r *Registry) addressed(ctx huma.Context, next func(huma.Context)) {
	request := humagin.Unwrap(ctx).Request
	if request.URL.RawQuery == "" && models.Storable(request.URL.Path) {
		next(ctx)
		return
	}
	query, err := url.ParseQuery(request.URL.RawQuery)
	var wrong []error
	if err != nil {
		wrong = append(wrong, &huma.ErrorDetail{Location: "query", Message: "expected names and values, escaped as in a URL"})
	}
	if !models.Storable(request.URL.Path) {
		wrong = append(wrong, &huma.ErrorDetail{Location: "path"})
	}
	known, canonical := queryParameters(ctx.Operation()), url.Values{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		parameter, described := known[spelling(name)]
		own := parameter.Name
		switch {
		case !models.Storable(name) || slices.ContainsFunc(query[name], func(text string) bool { return !models.Storable(text) }):
			wrong = append(wrong, &huma.ErrorDetail{Location: "query." + name})
		case !described || !isSpelling(name, own):
			wrong = append(wrong, &huma.ErrorDetail{Location: "query." + name, Message: "unexpected parameter"})
		case canonical.Has(own) || len(query[name]) > 1 && !repeats(&parameter):
			wrong = append(wrong, &huma.ErrorDetail{Location: "query." + name, Message: "expected the parameter once"})
		default:
			canonical[own] = query[name]
		}
	}
	if wrong != nil {
		_ = huma.WriteErr(r.Huma, ctx, http.StatusUnprocessableEntity, "", wrong...) // it fails where the client has gone
		return
	}
	request.URL.RawQuery = canonical.Encode()
	next(ctx)
}

// queryParameters maps the spelling of the name of each query parameter of an operation to the parameter.
func queryParameters(op *huma.Operation) map[string]huma.Param {
	found := map[string]huma.Param{}
	for _, p := range op.Parameters {
		if p.In == "query" {
			found[spelling(p.Name)] = *p
		}
	}
	return found
}

// repeats reports whether a parameter is a list whose values are given one by one.
func repeats(p *huma.Param) bool {
	return p.Explode != nil && *p.Explode && p.Schema != nil && p.Schema.Type == huma.TypeArray
}

// spelling is what entityId and entity_id have in common.
func spelling(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// isSpelling reports whether name is one of the two spellings of a parameter.
func isSpelling(name, own string) bool { return name == own || name == otherSpelling(own) }

// otherSpelling writes entityId as entity_id and draw_id as drawId. A name of one word has one spelling.
func otherSpelling(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case r == '_':
			upper = true
			continue
		case r >= 'A' && r <= 'Z':
			b.WriteByte('_')
			b.WriteRune(r - 'A' + 'a')
			continue
		case upper && r >= 'a' && r <= 'z':
			r += 'A' - 'a'
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// DescribeAliases names the other spelling of each query parameter.
func DescribeAliases(op *huma.Operation) {
	for _, p := range op.Parameters {
		if other := otherSpelling(p.Name); p.In == "query" && other != p.Name {
			if p.Extensions == nil {
				p.Extensions = map[string]any{}
			}
			p.Extensions[aliasField] = other
		}
	}
}
