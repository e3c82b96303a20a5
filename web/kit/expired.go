package kit

import (
	"net/http"
	"net/url"
	"strings"

	"banca/internal/apperr"
)

// WaitingField is the field of the login with the form that was sent after its session had ended.
const WaitingField = "waiting"

// againPath is below the path of the login: it shows the login with a form that waits.
const againPath = "/again"

// waitingPage has a form that waits: for the login, or for its user to send it.
type waitingPage struct {
	Action string
	Field  string
	Sealed string
}

// keepForm answers a form whose session has ended with a page that leads to the login and keeps what was typed. A form without fields, and one
// with a file, leads to the login and back to its page.
func (r *Request) keepForm() {
	_ = r.Form(TokenField) // reads the form
	typed := r.FormValues()
	delete(typed, TokenField)
	if len(typed) == 0 || strings.HasPrefix(r.c.ContentType(), "multipart/") {
		r.c.Redirect(http.StatusSeeOther, r.site.Login+"?"+url.Values{"next": {r.pagePath()}}.Encode())
		return
	}
	sealed, err := r.sealForm(r.browserOwner())
	if err != nil {
		r.answer(err)
		return
	}
	r.write(http.StatusUnauthorized, r.site.sitePages, "expired", layoutName, &View{Page: waitingPage{Action: r.site.Login + againPath, Field: WaitingField, Sealed: sealed}})
}

// Resume shows the form that waited for the login of a session, so that its user sends or drops it. It reports whether there was one.
func (r *Request) Resume(session, waiting string) (bool, error) {
	form, err := r.site.unseal(waiting, r.browserOwner())
	if err != nil {
		return false, nil //nolint:nilerr // a form that is too old is dropped
	}
	by, err := r.site.Sessions.AuthenticateBrowser(r.Context(), session)
	if err != nil {
		return false, &failure{apperr.From(err)}
	}
	r.Caller = by
	sealed, err := r.site.seal(form, r.sessionOwner())
	if err != nil {
		return false, err
	}
	r.write(http.StatusOK, r.site.sitePages, "resume", layoutName, &View{Page: waitingPage{Action: form.Action, Field: sealedField, Sealed: sealed}})
	return true, nil
}
