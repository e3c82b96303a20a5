package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/org"
)

// attachDocument keeps a file as a document of an entity.
func (w *Web) attachDocument(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	header, err := c.FormFile("file")
	var raw []byte
	if err == nil {
		raw, err = uploaded(c)
	}
	if err != nil {
		words := w.words[visitOf(c).language]["error.file"]
		w.showEntity(c, id, http.StatusBadRequest, words, func(page *entityPage) { page.OpenGroup = "documents" })
		return
	}
	_, err = w.deps.Org.Attach(c.Request.Context(), &org.NewDocument{
		Scope: scopeOf(c), UserID: visitOf(c).principal.UserID, EntityID: id, Kind: c.PostForm("kind"), Name: header.Filename, Content: raw,
	})
	w.settled(c, id, err, func(page *entityPage) { page.OpenGroup = "documents" })
}

// openDocument leads to a document by an address that is signed at that moment: a page may have been open for long.
func (w *Web) openDocument(c *gin.Context) {
	id, ok := w.idOf(c)
	document, err := uuid.Parse(c.Param("document"))
	if !ok {
		return
	}
	if err != nil {
		w.refuse(c, http.StatusNotFound, "error.missing")
		return
	}
	d, err := w.deps.Org.Document(c.Request.Context(), scopeOf(c), id, document)
	if err != nil {
		w.stop(c, err)
		return
	}
	c.Redirect(http.StatusFound, d.URL)
}

func (w *Web) removeDocument(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	document, err := uuid.Parse(c.Param("document"))
	if err != nil {
		w.refuse(c, http.StatusNotFound, "error.missing")
		return
	}
	w.settled(c, id, w.deps.Org.Detach(c.Request.Context(), scopeOf(c), id, document), func(page *entityPage) { page.OpenGroup = "documents" })
}
