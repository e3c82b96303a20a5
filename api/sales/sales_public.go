package sales

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/tickets"
)

//go:embed pages/*.html pages/*.css
var pages embed.FS

// TicketPage is the public page of a ticket.
type TicketPage struct {
	template *template.Template
	style    string
	policy   string // lets the page use its own style, and nothing else
}

// NewTicketPage reads the page.
func NewTicketPage() (*TicketPage, error) {
	t, err := template.ParseFS(pages, "pages/ticket.html")
	if err != nil {
		return nil, err
	}
	style, err := pages.ReadFile("pages/ticket.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	return &TicketPage{template: t, style: string(style), policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}, nil
}

func (o *operations) registerPublicTicket() {
	responses := kit.ContentResponses("The state", map[string]*huma.Schema{
		kit.JSONType: o.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[kit.Envelope[publicTicket]](), true, ""), kit.HTMLType: {Type: huma.TypeString},
	})
	for _, status := range []string{"404", "429"} {
		responses[status] = &huma.Response{Content: map[string]*huma.MediaType{kit.HTMLType: {Schema: &huma.Schema{Type: huma.TypeString}}}}
	}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "ticket-status", Method: http.MethodGet, Path: "/t/{serial}", Tags: []string{"Sales"},
		Summary:   "A ticket's state for the holder of the ticket; for a browser a page with its bets and results, without amounts",
		Responses: responses,
	}, kit.Public(), o.ticketStatus, tickets.ErrNotFound)
	// The receipt's QR code is all upper case, which needs fewer modules.
	kit.HandlePublic(o.Registry, huma.Operation{OperationID: "ticket-status-upper", Method: http.MethodGet, Path: "/T/{serial}", Hidden: true}, kit.Public(), o.ticketStatus)
	if o.BasePath != "" { // which the QR code leaves out
		o.Engine.GET("/T/:serial", func(c *gin.Context) {
			c.Redirect(http.StatusFound, o.BasePath+"/T/"+url.PathEscape(c.Param("serial")))
		})
	}
}

type serialInput struct {
	Serial string `path:"serial" maxLength:"32"`
	Accept string `header:"Accept"`
}

type statusOutput struct {
	Status          int
	ContentType     string `header:"Content-Type"`
	CacheControl    string `header:"Cache-Control"`
	ContentLanguage string `header:"Content-Language"`
	Vary            string `header:"Vary"`
	Policy          string `header:"Content-Security-Policy"`
	Body            []byte
}

type publicTicket struct {
	SerialCode string `json:"serial_code"`
	Status     string `json:"status"`
}

// TooMany is the page of the public ticket for a browser that has used up its limit.
func (p *TicketPage) TooMany(basePath string) middleware.Page {
	return middleware.Page{
		Owns: func(r *http.Request) bool {
			path, below := strings.CutPrefix(r.URL.Path, basePath)
			return below && (strings.HasPrefix(path, "/t/") || strings.HasPrefix(path, "/T/")) && wantsPage(r.Header.Get("Accept"))
		},
		TooMany: func(c *gin.Context) {
			page, err := p.show(middleware.Language(c.Request.Context()), &shownTicket{Status: limitedTicket})
			if err != nil {
				problem.From(err).Write(c.Writer, c.Request)
				return
			}
			h := c.Writer.Header()
			h.Set("Cache-Control", page.CacheControl)
			h.Set("Content-Language", page.ContentLanguage)
			h.Set("Vary", page.Vary)
			h.Set("Content-Security-Policy", page.Policy)
			c.Data(page.Status, page.ContentType, page.Body)
		},
	}
}

// wantsPage reports whether a client is a browser that shows a page.
func wantsPage(accept string) bool { return strings.Contains(accept, "text/html") }

func (o *operations) ticketStatus(ctx context.Context, in *serialInput) (*statusOutput, error) {
	serial := strings.ToUpper(in.Serial)
	if wantsPage(in.Accept) {
		return o.ticketPage(ctx, serial)
	}
	status, err := o.sales.StatusOf(ctx, serial)
	if err != nil {
		return nil, err
	}
	out := &statusOutput{Status: http.StatusOK, ContentType: "application/json", CacheControl: "no-store"}
	out.Body, err = json.Marshal(kit.Envelope[publicTicket]{Data: publicTicket{SerialCode: serial, Status: status}})
	return out, err
}
