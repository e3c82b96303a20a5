package kit

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// sharedFor is how long the text of a public page is used again, so that many requests cost what one costs.
const sharedFor = time.Second

// Pages returns the pages at addresses of the API, by path.
func (s *Site) Pages() map[string]gin.HandlerFunc {
	pages := map[string]gin.HandlerFunc{}
	for _, route := range s.routes {
		if route.ofAPI {
			pages[route.Path] = s.share(route)
		}
	}
	return pages
}

// sharedPage is a page that was written for one request and is sent to others.
type sharedPage struct {
	text []byte
	at   time.Time
}

// share returns the handler of a public page, which is written once a second in each language. It reads and sets no cookie
// but that of the language.
func (s *Site) share(route *servedRoute) gin.HandlerFunc {
	var mu sync.Mutex
	kept := map[string]sharedPage{}
	return func(c *gin.Context) {
		r := s.newRequest(c, route)
		mu.Lock()
		defer mu.Unlock() // requests that wait here get the page of the first
		if page, ok := kept[r.Language]; ok && s.Clock.Now().Sub(page.at).Abs() < sharedFor {
			c.Header("Content-Language", r.Language)
			sendPage(c, http.StatusOK, page.text)
			return
		}
		r.keep = func(text []byte) { kept[r.Language] = sharedPage{text: text, at: s.Clock.Now()} }
		c.Request.URL = &url.URL{Path: route.Path} // what a request adds to it is not for others
		if err := route.Handle(r); err != nil {
			r.answer(err)
		}
	}
}
