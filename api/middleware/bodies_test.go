package middleware_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/middleware"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
)

// bodied is an engine whose handlers, except /free, wait with the body in memory until free is closed, and the number
// of them. /files takes 10 MiB, everything else 1 MiB. A request with the header Authorization has a principal.
func bodied(waiting chan<- string, free <-chan struct{}) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	panel := admin
	panel.Busy = func(c *gin.Context) { c.String(http.StatusServiceUnavailable, "a page") }
	bounds := &middleware.BodyBounds{
		Most: 1<<20 + 1, Files: map[string]int64{"/files/*path": 10<<20 + 1, "/admin/*path": 10<<20 + 1},
		Login: 16<<10 + 1, Logins: []string{"/auth/"}, Within: 300 * time.Millisecond, Upload: time.Minute, Respond: time.Minute,
	}
	e.Use(middleware.Begin(nil), middleware.BodyLimit(bounds), middleware.Identify(each{}, panel, isBank, middleware.Socket{}), middleware.Bodies(bounds, panel, isBank))
	handler := func(c *gin.Context) {
		if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
			c.Header("X-Wrong", "a handler that knows no better")
			c.String(http.StatusBadRequest, err.Error())
			return
		}
		if !strings.Contains(c.Request.URL.Path, "/free") {
			waiting <- c.Request.URL.Path
			<-free
		}
		if c.Request.Context().Err() != nil {
			c.Status(http.StatusTeapot)
			return
		}
		c.Status(http.StatusNoContent)
	}
	for _, route := range []string{"/files/*path", "/admin/*path", "/auth/*path", "/forms/*path"} {
		e.Any(route, handler)
	}
	return e
}

// each accepts any token: the token is the user's number.
type each struct{}

func (each) Authenticate(_ context.Context, token string) (caller.Caller, error) {
	return caller.Caller{UserID: uuid.NewSHA1(uuid.Nil, []byte(token))}, nil
}

func (e each) AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error) {
	return e.Authenticate(ctx, token)
}

func (each) Touch(caller.Caller) {}

// bodyRequest is a request of a user with a body of n bytes; user 0 has no principal.
func bodyRequest(user int, path string, n int64, chunked bool) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, io.LimitReader(zeros{}, n))
	r.ContentLength = n
	if chunked {
		r.ContentLength = -1
	}
	if user != 0 {
		r.Header.Set("Authorization", "Bearer "+strconv.Itoa(user))
		r.AddCookie(&http.Cookie{Name: admin.Cookie, Value: strconv.Itoa(user)})
	}
	return r
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func sendBody(e http.Handler, user int, path string, n int64) *httptest.ResponseRecorder {
	return answerTo(e, bodyRequest(user, path, n, false))
}

func answerTo(e http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// 60 clients that send 10 MiB each hold 60 MiB: six of them are worked on and the others are refused, in the API and
// in the panel alike, while small bodies and bodies of up to 1 MiB pass.
func TestBodiesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 100), make(chan struct{})
	e := bodied(waiting, free)
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for i := range 60 {
		all.Go(func() {
			path := "/files/x"
			if i%2 == 1 {
				path = admin.Paths[0] + "/x"
			}
			w := sendBody(e, i+1, path, 10<<20)
			mu.Lock()
			defer mu.Unlock()
			answers[w.Code]++
			if w.Code == http.StatusServiceUnavailable {
				assert.Equal(t, "5", w.Header().Get("Retry-After"))
				assert.Empty(t, w.Header().Get("X-Wrong"), "what the handler answered is dropped")
				if i%2 == 1 {
					assert.Equal(t, "a page", w.Body.String())
				} else {
					assert.Contains(t, w.Body.String(), `"code":"BUSY"`)
				}
			}
		})
	}
	require.Eventually(t, func() bool { return len(waiting) == 6 }, testkit.WaitTimeout, time.Millisecond)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/forms/free", 1<<20).Code, "a picture")
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/forms/free", 2_000).Code, "a sale")
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return answers[http.StatusServiceUnavailable] == 54 }, testkit.WaitTimeout, time.Millisecond)
	close(free)
	all.Wait()
	assert.Equal(t, map[int]int{http.StatusNoContent: 6, http.StatusServiceUnavailable: 54}, answers)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 100, "/files/free", 10<<20).Code, "everything was given back")
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
			if w := answerTo(e, bodyRequest(7, "/files/x", 5<<20, true)); w.Code != http.StatusNoContent { // of unknown length: counts as the most
				refused <- w.Code
			}
		})
	}
	require.Eventually(t, func() bool { return len(waiting) == 2 }, testkit.WaitTimeout, time.Millisecond)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 8, "/files/free", 10<<20).Code)
	require.Eventually(t, func() bool { return len(refused) == 58 }, testkit.WaitTimeout, time.Millisecond)
	close(free)
	all.Wait()
	assert.Len(t, waiting, 2)
}

// Bodies that have not arrived take nothing, whatever their declared length, and neither do chunked bodies of up to
// 64 KiB.
func TestBodyMemoryIsReservedAsItArrives(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 500), make(chan struct{})
	e := bodied(waiting, free)
	var all sync.WaitGroup
	var pipes []*io.PipeWriter
	for i := range 200 {
		r := bodyRequest(i%2, "/files/held", 10<<20, i%3 == 0) // of user 1, and without a principal
		reader, writer := io.Pipe()
		r.Body, pipes = reader, append(pipes, writer)
		all.Go(func() { answerTo(e, r) })
		_, err := writer.Write(make([]byte, 1))
		require.NoError(t, err)
	}
	for range 100 { // sales of one user at once
		all.Go(func() {
			assert.Equal(t, http.StatusNoContent, answerTo(e, bodyRequest(1, "/forms/x", 2_000, true)).Code)
		})
	}
	require.Eventually(t, func() bool { return len(waiting) == 100 }, testkit.WaitTimeout, time.Millisecond)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 1, "/files/free", 10<<20).Code)
	assert.Equal(t, http.StatusNoContent, sendBody(e, 0, "/auth/free", 1_000).Code)
	close(free)
	for _, w := range pipes {
		require.NoError(t, w.CloseWithError(io.ErrUnexpectedEOF))
	}
	all.Wait()
}

// Requests without a principal share a small pool of their own: they hold up each other, never a user.
func TestAnonymousBodiesHaveTheirOwnPool(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 500), make(chan struct{})
	e := bodied(waiting, free)
	var all sync.WaitGroup
	refused := make(chan int, 200)
	for i := range 200 {
		all.Go(func() {
			r := bodyRequest(0, "/forms/x", 1<<20, i%2 == 0)
			r.RemoteAddr = "203.0.113." + strconv.Itoa(i) + ":4711"
			if w := answerTo(e, r); w.Code != http.StatusNoContent {
				refused <- w.Code
			}
		})
	}
	require.Eventually(t, func() bool { return len(refused) >= 196 }, testkit.WaitTimeout, time.Millisecond)
	for user := range 20 {
		assert.Equal(t, http.StatusNoContent, sendBody(e, user+1, "/forms/free", 1<<20).Code)
		assert.Equal(t, http.StatusNoContent, answerTo(e, bodyRequest(user+1, "/files/free", 10<<20, true)).Code)
	}
	assert.Equal(t, http.StatusServiceUnavailable, sendBody(e, 0, "/files/free", 10<<20).Code, "a file without a principal")
	close(free)
	all.Wait()
	assert.Equal(t, http.StatusNoContent, sendBody(e, 0, "/forms/free", 1<<20).Code, "everything was given back")
}

// The body of a login is small and arrives soon; the work on it is not bounded by the deadline of the body.
func TestTheBodyOfALoginIsBounded(t *testing.T) {
	t.Parallel()
	waiting, free := make(chan string, 10), make(chan struct{})
	server := httptest.NewUnstartedServer(bodied(waiting, free))
	server.Config.ReadTimeout = time.Minute
	server.Start()
	t.Cleanup(server.Close)
	assert.Equal(t, http.StatusBadRequest, sendBody(server.Config.Handler, 0, "/auth/free", 16<<10+2).Code)

	held, worked := make(chan int, 1), make(chan int, 1)
	post := func(answers chan<- int, path string, body io.Reader) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, body)
		if !assert.NoError(t, err) {
			return
		}
		answer, err := http.DefaultClient.Do(r)
		if !assert.NoError(t, err) {
			return
		}
		assert.NoError(t, answer.Body.Close())
		answers <- answer.StatusCode
	}
	go post(worked, "/auth/x", strings.NewReader("{}"))
	<-waiting
	body, hold := io.Pipe()
	go post(held, "/auth/free", body)
	assert.Equal(t, http.StatusBadRequest, <-held, "the deadline ended it")
	require.NoError(t, hold.Close())
	close(free)
	assert.Equal(t, http.StatusNoContent, <-worked, "its deadline passed while it was worked on")
}

// A file of a user may arrive after the server's own deadlines; other bodies may not.
func TestUploadsMayOutlastTheServersDeadlines(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(bodied(nil, nil))
	server.Config.ReadTimeout, server.Config.WriteTimeout = 300*time.Millisecond, 600*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	post := func(path string) (answer <-chan int, body *io.PipeWriter) {
		status := make(chan int, 1)
		reader, writer := io.Pipe()
		go func() {
			defer close(status)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, reader)
			assert.NoError(t, err)
			r.Header.Set("Authorization", "Bearer 1")
			a, err := http.DefaultClient.Do(r)
			if assert.NoError(t, err) {
				assert.NoError(t, a.Body.Close())
				status <- a.StatusCode
			}
		}()
		return status, writer
	}
	file, rest := post("/files/free")
	_, err := rest.Write(make([]byte, 100<<10))
	require.NoError(t, err)
	for range 3 {
		form, hold := post("/forms/free")
		assert.Equal(t, http.StatusBadRequest, <-form, "the server's deadline ended it")
		require.NoError(t, hold.Close())
	}
	_, err = rest.Write(make([]byte, 100<<10))
	require.NoError(t, err)
	require.NoError(t, rest.Close())
	assert.Equal(t, http.StatusNoContent, <-file)
}
