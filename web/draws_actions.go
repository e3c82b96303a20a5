package web

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/models"
)

// typedOutcome reads the fields of a result.
func typedOutcome(c *gin.Context) catalog.Outcome {
	return catalog.Outcome{Value: c.PostForm("value"), Sign: c.PostForm("sign"), Wildcard: c.PostForm("wildcard"), Flags: c.PostFormArray("flag")}
}

func (w *Web) enterResult(c *gin.Context) {
	w.actOnDraw(c, "result.entered", func(id uuid.UUID) error {
		_, err := w.deps.Draws.Enter(c.Request.Context(), visitOf(c).principal.UserID, id, typedOutcome(c))
		return err
	})
}

func (w *Web) rejectResult(c *gin.Context) {
	w.actOnDraw(c, "result.rejected", func(uuid.UUID) error {
		_, err := w.deps.Draws.Reject(c.Request.Context(), visitOf(c).principal.UserID, resultOf(c), c.PostForm("reason"))
		return err
	})
}

// verifyResult verifies a proposed result; the second person types the value again.
func (w *Web) verifyResult(c *gin.Context) {
	w.actOnDraw(c, "result.verified", func(id uuid.UUID) error { return w.verifyTyped(c, id) })
}

// verifyTyped verifies the draw's proposal that equals the typed value: sources that disagree make several proposals.
func (w *Web) verifyTyped(c *gin.Context, id uuid.UUID) error {
	ctx, typed := c.Request.Context(), typedOutcome(c)
	proposals, _, err := w.deps.Draws.Results(ctx, &draws.ResultFilter{DrawID: id, Status: models.ResultProposed, Limit: pageSize})
	if err != nil {
		return err
	}
	err = draws.ErrResultClosed
	for i := range proposals {
		_, _, err = w.deps.Draws.Verify(ctx, visitOf(c).principal.UserID, proposals[i].ID, &typed)
		if !errors.Is(err, draws.ErrResultMismatch) && !errors.Is(err, draws.ErrSamePerson) {
			return err
		}
	}
	return err
}

func (w *Web) suspendDraw(c *gin.Context) {
	w.actOnDraw(c, "draw.suspended", func(id uuid.UUID) error {
		return w.deps.Draws.Suspend(c.Request.Context(), visitOf(c).principal.UserID, id, c.PostForm("reason"))
	})
}

// acceptSeal proposes the tickets of a draw whose seal is broken, or accepts what another person proposed.
func (w *Web) acceptSeal(c *gin.Context) {
	w.actOnDraw(c, "draw.seal", func(id uuid.UUID) error {
		_, err := w.deps.Draws.AcceptSeal(c.Request.Context(), visitOf(c).principal.UserID, id, c.PostForm("reason"))
		return err
	})
}

// correctResult shows the effect of a correction and, when the user has seen it, files it.
func (w *Web) correctResult(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	seen := c.PostForm("seen") != ""
	typed := typedOutcome(c)
	_, difference, err := w.deps.Draws.Correct(c.Request.Context(), visitOf(c).principal.UserID, resultOf(c), typed, c.PostForm("reason"), !seen)
	switch {
	case err != nil:
		w.refuseOnDraw(c, id, err)
	case seen:
		w.done(c, drawsPath+"/"+id.String(), "result.entered")
	default:
		w.showPreview(c, id, typed, difference)
	}
}

func (w *Web) showPreview(c *gin.Context, id uuid.UUID, typed catalog.Outcome, difference *draws.Difference) {
	changes, err := w.changes(c, difference)
	if err != nil {
		w.stop(c, err)
		return
	}
	w.showDraw(c, id, http.StatusOK, "", func(page *drawPage) {
		page.Typed, page.Reason, page.Previews, page.Previewed = typed, c.PostForm("reason"), changes, true
	})
}

// resultOf reads the result of a form; Nil if its id is invalid.
func resultOf(c *gin.Context) uuid.UUID {
	id, _ := uuid.Parse(c.PostForm("result"))
	return id
}

// actOnDraw does something with the draw in the address and shows the result on its page.
func (w *Web) actOnDraw(c *gin.Context, what string, act func(id uuid.UUID) error) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if err := act(id); err != nil {
		w.refuseOnDraw(c, id, err)
		return
	}
	w.done(c, drawsPath+"/"+id.String(), what)
}

// refuseOnDraw shows a refusal on the draw's page, with the form's fields.
func (w *Web) refuseOnDraw(c *gin.Context, id uuid.UUID, err error) {
	w.explain(c, err, func(status int, words string) {
		w.showDraw(c, id, status, words, func(page *drawPage) { page.Typed, page.Reason = typedOutcome(c), c.PostForm("reason") })
	})
}
