package system

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
)

const markdownType = "text/markdown"

func (o *operations) registerChangelog() {
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "changelog", Method: http.MethodGet, Path: ChangelogPath, Tags: []string{"Health"},
		Summary:   "What changed in each release; a page for a browser, Markdown otherwise",
		Responses: kit.ContentResponses("The changes, newest first", map[string]*huma.Schema{markdownType: {Type: huma.TypeString}, kit.HTMLType: {Type: huma.TypeString}}),
	}, kit.Public(), o.changelog)
}

type textOutput struct {
	ContentType string `header:"Content-Type"`
	Vary        string `header:"Vary"`
	Body        []byte
}

func (o *operations) changelog(context.Context, *struct{}) (*textOutput, error) {
	return &textOutput{ContentType: markdownType + "; charset=utf-8", Vary: "Accept", Body: []byte(o.Changelog)}, nil
}
