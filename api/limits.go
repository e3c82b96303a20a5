package api

import (
	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
)

// limitedName is the name of the answer to who has used up the limit, among the document's components.
const limitedName = "RateLimited"

// isBankPath reports whether a path is one of the bank's two, which have checks and bounds of their own.
func (a *API) isBankPath(path string) bool {
	for own := range bankPhases() {
		if path == a.deps.BasePath+own {
			return true
		}
	}
	return false
}

// uncounted tells the paths that no limit counts: the bank's, those by which the house watches the process, and the fixed
// files of the documentation. A ticket's public page counts against the address, so that serials cannot be tried out;
// a socket counts once, when it is opened.
func (a *API) uncounted() func(path string) bool {
	paths := map[string]bool{}
	for own := range bankPhases() {
		paths[a.deps.BasePath+own] = true
	}
	for _, path := range append(healthPaths(), docsFiles()...) {
		paths[a.deps.BasePath+path] = true
	}
	return func(path string) bool { return paths[path] }
}

// limitedResponse refers to the description of the answer to who has used up the limit, which it makes.
func (a *API) limitedResponse() *huma.Response {
	components := a.huma.OpenAPI().Components
	if components.Responses == nil {
		components.Responses = map[string]*huma.Response{}
	}
	if components.Responses[limitedName] == nil {
		r := a.problemResponse("The client has used up its limit of requests: RATE_LIMITED")
		number := func(description string) *huma.Param {
			return &huma.Param{Description: description, Schema: &huma.Schema{Type: huma.TypeInteger}}
		}
		r.Extensions = map[string]any{codesField: map[string]string{middleware.ErrRateLimited.Code: middleware.ErrRateLimited.Message}}
		names := middleware.RateHeaders()
		r.Headers = map[string]*huma.Param{
			names[0]: number("requests a client may make at once; in every answer"), names[1]: number("requests left; in every answer"),
			names[2]:      number("seconds until all are left again; in every answer"),
			"Retry-After": number("seconds until the next request is answered"),
		}
		components.Responses[limitedName] = r
	}
	return &huma.Response{Ref: "#/components/responses/" + limitedName}
}
