package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/bank"
	"banca/models"
)

// directoryPage holds the issuing banks and the meanings of network codes, with a form for each.
type directoryPage struct {
	Banks []bank.Bank
	Codes []bank.NetworkCode

	Bank      bank.Bank // in the form
	BankKnown bool      // it is one of the list, and is changed
	Code      bank.NetworkCode
	CodeKnown bool
}

// directoryRows bounds both lists; codes have at most four digits.
const directoryRows = 10_000

func (w *Web) bankDirectory(c *gin.Context) {
	w.showDirectory(c, http.StatusOK, "", func(page *directoryPage) {
		page.Bank.Code, page.Code.Code = c.Query("bank"), c.Query("code")
		for _, b := range page.Banks {
			if b.Code == page.Bank.Code {
				page.Bank, page.BankKnown = b, true
			}
		}
		for _, n := range page.Codes {
			if n.Code == page.Code.Code {
				page.Code, page.CodeKnown = n, true
			}
		}
	})
}

// showDirectory shows both lists; fill fills the forms in.
func (w *Web) showDirectory(c *gin.Context, status int, problem string, fill func(*directoryPage)) {
	ctx := c.Request.Context()
	page := &directoryPage{Bank: bank.Bank{Status: models.BankActive}}
	var err error
	if page.Banks, _, err = w.deps.Bank.Banks(ctx, "", directoryRows, 0); err == nil {
		page.Codes, _, err = w.deps.Bank.NetworkCodes(ctx, directoryRows, 0)
	}
	if err != nil {
		w.stop(c, err)
		return
	}
	fill(page)
	w.show(c, status, "bank-directory", &view{Page: page, Problem: problem})
}

// errAction reports a form without a known action, which the pages never send.
var errAction = errors.New("web: no such action")

// saveBank adds, changes or removes an issuing bank.
func (w *Web) saveBank(c *gin.Context) {
	b := bank.Bank{Code: strings.TrimSpace(c.PostForm("code")), Name: strings.TrimSpace(c.PostForm("name")), Status: c.PostForm("status")}
	ctx, scope, action := c.Request.Context(), scopeOf(c), c.PostForm("action")
	if !w.confirmed(c) {
		return
	}
	err := errAction
	switch action {
	case "add":
		err = w.deps.Bank.AddBank(ctx, scope, b)
	case "change":
		err = w.deps.Bank.UpdateBank(ctx, scope, b)
	case "remove":
		err = w.deps.Bank.DeleteBank(ctx, scope, b.Code)
	}
	w.saved(c, err, action, func(page *directoryPage) { page.Bank, page.BankKnown = b, action != "add" })
}

// saveNetworkCode adds, changes or removes the meaning of a network code.
func (w *Web) saveNetworkCode(c *gin.Context) {
	n := bank.NetworkCode{Code: strings.TrimSpace(c.PostForm("code")), Meaning: strings.TrimSpace(c.PostForm("meaning"))}
	ctx, scope, action := c.Request.Context(), scopeOf(c), c.PostForm("action")
	if !w.confirmed(c) {
		return
	}
	err := errAction
	switch action {
	case "add":
		err = w.deps.Bank.AddNetworkCode(ctx, scope, n.Code, n.Meaning)
	case "change":
		err = w.deps.Bank.UpdateNetworkCode(ctx, scope, n.Code, n.Meaning)
	case "remove":
		err = w.deps.Bank.DeleteNetworkCode(ctx, scope, n.Code)
	}
	w.saved(c, err, action, func(page *directoryPage) { page.Code, page.CodeKnown = n, action != "add" })
}

// saved shows the result of a form of the directory; a refused form keeps its fields.
func (w *Web) saved(c *gin.Context, err error, action string, typed func(*directoryPage)) {
	if errors.Is(err, errAction) {
		w.refuse(c, http.StatusBadRequest, "error.form")
		return
	}
	if err == nil {
		w.done(c, bankPath+"/directory", "directory."+action)
		return
	}
	w.explain(c, err, func(status int, words string) { w.showDirectory(c, status, words, typed) })
}
