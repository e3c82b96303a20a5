package sales

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
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
type TicketPage struct{ *kit.PublicPage }

// NewTicketPage reads the page.
func NewTicketPage() (*TicketPage, error) {
	page, err := kit.NewPublicPage(pages, "pages", "ticket")
	return &TicketPage{page}, err
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

type publicTicket struct {
	SerialCode string `json:"serial_code"`
	Status     string `json:"status"`
}

// TooMany is the page for a browser that has used up its limit, of the public ticket and of other paths for everybody.
func (p *TicketPage) TooMany(basePath string, others ...string) middleware.Page {
	return middleware.Page{
		Owns: func(r *http.Request) bool {
			path, below := strings.CutPrefix(r.URL.Path, basePath)
			public := strings.HasPrefix(path, "/t/") || strings.HasPrefix(path, "/T/") || slices.Contains(others, path)
			return below && public && kit.WantsPage(r.Header.Get("Accept"))
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

func (o *operations) ticketStatus(ctx context.Context, in *serialInput) (*kit.Content, error) {
	serial := strings.ToUpper(in.Serial)
	if kit.WantsPage(in.Accept) {
		return o.ticketPage(ctx, serial)
	}
	status, err := o.sales.StatusOf(ctx, serial)
	if err != nil {
		return nil, err
	}
	out := &kit.Content{Status: http.StatusOK, ContentType: kit.JSONType, CacheControl: "no-store"}
	out.Body, err = json.Marshal(kit.Envelope[publicTicket]{Data: publicTicket{SerialCode: serial, Status: status}})
	return out, err
}
