package api

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"banca/models"
)

//go:embed pages/*.html
var pages embed.FS

func (a *API) registerPublicTicket() {
	page, err := template.ParseFS(pages, "pages/ticket.html")
	if err != nil {
		a.errs = append(a.errs, err)
		return
	}
	show := func(ctx context.Context, in *serialInput) (*statusOutput, error) {
		return a.ticketStatus(ctx, in, page)
	}
	handle(a, huma.Operation{
		OperationID: "ticket-status", Method: http.MethodGet, Path: "/t/{serial}", Tags: []string{"Sales"},
		Summary: "A ticket's state, and nothing else, for whoever holds it; a page for a browser, JSON otherwise",
		Responses: contentResponses("The state", map[string]*huma.Schema{
			jsonType: a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Envelope[ticketStatus]](), true, ""), "text/html": {Type: huma.TypeString},
		}),
	}, Public(), show)
	// The receipt's QR code is all upper case, which needs fewer modules.
	handle(a, huma.Operation{OperationID: "ticket-status-upper", Method: http.MethodGet, Path: "/T/{serial}", Hidden: true}, Public(), show)
	if a.deps.BasePath != "" { // which the QR code leaves out
		a.engine.GET("/T/:serial", func(c *gin.Context) {
			c.Redirect(http.StatusFound, a.deps.BasePath+"/T/"+url.PathEscape(c.Param("serial")))
		})
	}
}

type serialInput struct {
	Serial string `path:"serial" maxLength:"32"`
	Accept string `header:"Accept"`
}

type statusOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

type ticketStatus struct {
	SerialCode string `json:"serial_code"`
	Status     string `json:"status"`
}

func (a *API) ticketStatus(ctx context.Context, in *serialInput, page *template.Template) (*statusOutput, error) {
	serial := strings.ToUpper(in.Serial)
	status, err := a.deps.Sales.StatusOf(ctx, serial)
	if err != nil {
		return nil, err
	}
	out := &statusOutput{ContentType: "application/json", CacheControl: "no-store"}
	if !strings.Contains(in.Accept, "text/html") {
		out.Body, err = json.Marshal(Envelope[ticketStatus]{Data: ticketStatus{SerialCode: serial, Status: status}})
		return out, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]string{"Serial": serial, "Label": statusLabel(status)})
	out.ContentType, out.Body = "text/html; charset=utf-8", b.Bytes()
	return out, err
}

// statusLabel is a ticket's state in the words of whoever bought it.
func statusLabel(status string) string {
	return map[string]string{
		models.TicketPending: "Vigente", models.TicketWon: "Premiado", models.TicketLost: "Sin premio",
		models.TicketCancelled: "Anulado", models.TicketPaid: "Pagado",
	}[status]
}
