package middleware_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/middleware"
	"banca/internal/testkit"
)

// bodied is an engine whose handlers, but those of /free, wait with the body in memory until free is closed, and the number of
// them. Everything takes 10 MiB.
func bodied(waiting chan<- string, free <-chan struct{}) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	panel := admin
	panel.Busy = func(c *gin.Context) { c.String(http.StatusServiceUnavailable, "a page") }
	e.Use(middleware.Begin(nil), middleware.Identify(&one{}, panel, isBank, middleware.Socket{}), middleware.Bodies(1<<20+1, map[string]int64{"/*path": 10<<20 + 1}, panel, isBank))
	e.Any("/*path", func(c *gin.Context) {
		if !strings.HasPrefix(c.Request.URL.Path, "/free") {
			waiting <- c.Request.URL.Path
			<-free
		}
		c.Status(http.StatusNoContent)
	})
	return e
}

// sendBody sends a body of n bytes; a negative n is a body of unknown length.
func sendBody(e http.Handler, client int, path string, n int64) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, io.NopCloser(strings.NewReader("")))
	r.ContentLength = n
	r.RemoteAddr = "203.0.113." + strconv.Itoa(client) + ":4711"
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// 60 clients that send 10 MiB each hold 60 MiB: six of them are worked on and the others are refused, in the API and in the
// panel alike, while small bodies and bodies of up to 1 MiB pass.
func TestBodiesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 100), make(chan struct{})
	e := bodied(waiting, free)
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for i := range 60 {
		all.Go(func() {
			path := "/x"
			if i%2 == 1 {
				path = admin.Path + "/x"
			}
			w := sendBody(e, i, path, 10<<20)
			mu.Lock()
			defer mu.Unlock()
			answers[w.Code]++
			if w.Code == http.StatusServiceUnavailable {
				assert.Equal(t, "5", w.Header().Get("Retry-After"))
				if i%2 == 1 {
					assert.Equal(t, "a page", w.Body.String())
				} else {
					assert.Contains(t, w.Body.String(), `"code":"BUSY"`)
				}
			}
		})
	}
	require.Eventually(t, func() bool { return len(waiting) == 6 }, testkit.Patience, time.Millisecond)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/free", 1<<20).Code, "a picture")
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/free", 2_000).Code, "a sale")
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return answers[http.StatusServiceUnavailable] == 54 }, testkit.Patience, time.Millisecond)
	close(free)
	all.Wait()
	assert.Equal(t, map[int]int{http.StatusNoContent: 6, http.StatusServiceUnavailable: 54}, answers)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/free", 10<<20).Code, "everything was given back")
}

// One client holds two files, however many it sends, and others send theirs.
func TestOneClientHasAShareOfTheBodies(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 100), make(chan struct{})
	e := bodied(waiting, free)
	var all sync.WaitGroup
	refused := make(chan int, 60)
	for range 60 {
		all.Go(func() {
			if w := sendBody(e, 7, "/x", -1); w.Code != http.StatusNoContent { // of unknown length: counts as the most
				refused <- w.Code
			}
		})
	}
	require.Eventually(t, func() bool { return len(waiting) == 2 }, testkit.Patience, time.Millisecond)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 8, "/free", 10<<20).Code)
	require.Eventually(t, func() bool { return len(refused) == 58 }, testkit.Patience, time.Millisecond)
	close(free)
	all.Wait()
	assert.Len(t, waiting, 2)
}
