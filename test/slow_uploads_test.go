package test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"banca/api/kit"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/models"
)

// sendSlowly sends all but the last KiB of a body of 10 MiB and leaves the connection open until the server answers or done is
// closed; it returns the answer's first bytes.
func (s *leakSuite) sendSlowly(token string, body []byte, sent *atomic.Int64, done <-chan struct{}) string {
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", s.addr)
	if !assert.NoError(s.t, err) {
		return ""
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(kit.UploadTimeout + testkit.WaitTimeout))
	go func() { <-done; _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "POST /entities/%s/documents HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n", s.ours.point, s.addr, token, len(body)+1024)
	if _, err := conn.Write(body); err == nil {
		sent.Add(1)
	}
	var head [2048]byte
	n, _ := io.ReadAtLeast(conn, head[:], len("HTTP/1.1 503"))
	return string(head[:n])
}

// 60 uploads that stop before their end hold the memory of a few, or are refused, and hold up neither other operations nor the
// files of others.
func TestSlowUploadsHoldBoundedMemory(t *testing.T) { //nolint:paralleltest // the heap is the process's
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	body := append([]byte("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.png\"\r\n\r\n"), bytes.Repeat([]byte{7}, 10<<20-2048)...)
	runtime.GC()
	before := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(before)
	stop := heapPeak()
	const uploads = 60
	began := time.Now()
	tokens := []string{s.tokens["house "+models.RoleAdmin], s.tokens["ours "+models.RoleAdmin]}
	answers := make(chan string, uploads)
	var sent atomic.Int64
	done := make(chan struct{})
	for i := range uploads {
		go func() { answers <- s.sendSlowly(tokens[i%len(tokens)], body, &sent, done) }()
	}
	refused := 0
	picture := widePicture(t, 40)
	const held = 4 // two of each user
	for i := range uploads - held {
		if i == 5 { // the first answers are of requests that waited in vain; the others still hold their bytes
			a := s.send(leakCall{method: http.MethodGet, path: "/auth/me", token: tokens[0]})
			assert.Equal(t, http.StatusOK, a.status, string(a.raw))
			began := time.Now()
			a = s.upload(true, picture)
			assert.Equal(t, "PICTURE_STORE_UNAVAILABLE", a.body["code"], "it was read: this platform has no object store")
			a = s.upload(false, picture)
			assert.Equal(t, "DOCUMENT_STORE_UNAVAILABLE", a.body["code"])
			t.Logf("two pictures meanwhile: %v", time.Since(began))
		}
		answer := <-answers
		switch {
		case strings.HasPrefix(answer, "HTTP/1.1 503"):
			assert.Contains(t, answer, "BUSY")
			assert.Contains(t, answer, "Retry-After: 5")
			refused++
		case strings.HasPrefix(answer, "HTTP/1.1 408"):
			assert.GreaterOrEqual(t, time.Since(began), kit.UploadTimeout, "its time was over")
		case answer != "": // else the connection was closed while the body was sent
			t.Errorf("unexpected answer: %s", answer)
		}
	}
	peak := int64(stop()) - int64(before[0].Value.Uint64())
	t.Logf("%d uploads, %d sent to the stop, %d refused: %d MiB of heap", uploads, sent.Load(), refused, peak>>20)
	assert.Less(t, peak, int64(256)<<20)
	waiting := len(answers)
	if time.Since(began) < kit.UploadTimeout { // else the machine is too slow to tell
		assert.Zero(t, waiting, "the others have their time")
	}
	close(done)
	for range held {
		answer := <-answers
		assert.True(t, answer == "" || strings.HasPrefix(answer, "HTTP/1.1 408"), answer)
	}
}
