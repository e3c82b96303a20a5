package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/bank"
	"banca/internal/org"
)

// maxUpload bounds a file with the form around it, in bytes.
const maxUpload = org.MaxDocument + 64<<10

// Uploads are the routes that take a file, of up to 10 MiB; all others need no more than a form has.
func Uploads() []string {
	return []string{bankPath + "/statements", orgPath + "/:id/documents", gamesPath + "/:id/logo", gamesPath + "/:id/elements/:code/save"}
}

// limitUpload refuses a body larger than a file may be before it is read. A body that is not multipart has no form
// token.
func (w *Web) limitUpload(c *gin.Context) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxUpload)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](c.Request.ParseMultipartForm(maxUpload)); tooLarge {
		w.refuse(c, http.StatusRequestEntityTooLarge, "error.upload")
	}
}

// statementsPage is the list of imported statements, with the form that imports one.
type statementsPage struct {
	Statements []bank.Statement
}

func (w *Web) bankStatements(c *gin.Context) { w.showStatements(c, http.StatusOK, "") }

func (w *Web) showStatements(c *gin.Context, status int, problem string) {
	pager := pageOf(c)
	list, total, err := w.deps.Bank.Statements(c.Request.Context(), scopeOf(c), pageSize, pager.offset())
	if err != nil {
		w.stop(c, err)
		return
	}
	w.show(c, status, "bank-statements", &view{
		Page: statementsPage{list}, Problem: problem, Pager: pager.count(c.Request.URL, len(list), total),
	})
}

func (w *Web) importStatement(c *gin.Context) {
	raw, err := uploaded(c)
	if err != nil {
		w.showStatements(c, http.StatusBadRequest, w.words[visitOf(c).language]["error.file"])
		return
	}
	statement, err := w.deps.Bank.ImportStatement(c.Request.Context(), bankCaller(c), raw)
	if err == nil {
		w.done(c, bankPath+"/statements/"+statement.ID.String(), "imported")
		return
	}
	w.explain(c, err, func(status int, words string) { w.showStatements(c, status, words+w.badLine(c, err)) })
}

// badLine names the line that could not be imported, where the error names one.
func (w *Web) badLine(c *gin.Context, err error) string {
	for _, d := range apperr.From(err).Details {
		if number, ok := strings.CutPrefix(d.Location, "line "); ok {
			return " " + fmt.Sprintf(w.words[visitOf(c).language]["error.line"], number)
		}
	}
	return ""
}

// uploaded reads a file of the form.
func uploaded(c *gin.Context) (raw []byte, err error) {
	header, err := c.FormFile("file")
	if err != nil {
		return nil, err
	}
	file, err := header.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(file)
}

// statementPage is a statement with what only one side has.
type statementPage struct {
	bank.Statement
	Here, There []bank.Difference // credits of the bank without a payment; payments without a credit
	Digits      int
}

// shownDifferences bounds each list; the API pages through the rest.
const shownDifferences = 200

func (w *Web) bankStatement(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	page, err := w.statementPage(c.Request.Context(), scopeOf(c), id)
	if err != nil {
		w.stop(c, err)
		return
	}
	w.render(c, "bank-statement", page)
}

func (w *Web) statementPage(ctx context.Context, scope string, id uuid.UUID) (*statementPage, error) {
	statement, err := w.deps.Bank.Statement(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	page := &statementPage{Statement: *statement, Digits: bank.AmountDigits}
	if page.Here, _, err = w.deps.Bank.Differences(ctx, scope, id, bank.SideBank, shownDifferences, 0); err != nil {
		return nil, err
	}
	page.There, _, err = w.deps.Bank.Differences(ctx, scope, id, bank.SideBanca, shownDifferences, 0)
	return page, err
}
