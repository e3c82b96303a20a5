package test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/models"
)

// widePicture is a PNG of some KB whose pixels take n * n * 8 bytes.
func widePicture(t *testing.T, n int) []byte {
	t.Helper()
	img := image.NewNRGBA64(image.Rect(0, 0, n, n))
	img.SetNRGBA64(0, 0, color.NRGBA64{A: 7}) // not opaque: four channels are stored
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

// upload sends a picture as the logo of the game or as a document of an entity.
func (s *leakSuite) upload(logo bool, picture []byte) answer {
	s.t.Helper()
	method, path, field := http.MethodPost, "/entities/"+s.ours.point+"/documents", "file"
	if logo {
		method, path, field = http.MethodPut, "/games/"+s.game, "logo"
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if !logo {
		require.NoError(s.t, form.WriteField("kind", "tax_id"))
	}
	part, err := form.CreateFormFile(field, "wide.png")
	require.NoError(s.t, err)
	_, err = part.Write(picture)
	require.NoError(s.t, err)
	require.NoError(s.t, form.Close())
	return s.send(leakCall{method: method, path: path, token: s.tokens["house "+models.RoleAdmin], contentType: form.FormDataContentType(), body: &body})
}

// heapPeak samples the bytes of the heap until stop is called, which returns the most. Until then garbage is collected
// early: what is counted includes the garbage since the last collection, which GOGC lets grow.
func heapPeak() (stop func() uint64) {
	often := debug.SetGCPercent(20)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var most atomic.Uint64
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			metrics.Read(sample)
			most.Store(max(most.Load(), sample[0].Value.Uint64()))
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(ended); <-done; debug.SetGCPercent(often); return most.Load() }
}

// The pictures of all uploads together are decoded within the configured memory, however many come at once; one that
// exceeds it alone is refused with its field.
func TestUploadsShareTheirMemory(t *testing.T) { //nolint:paralleltest // the heap is the process's
	const side, memory = 1_800, 40 // MiB; a picture decodes to 25
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests, cfg.HTTP.ImageMemory = 1_000_000, memory })
	s.fill()
	picture := widePicture(t, side)
	require.Less(t, len(picture), 100_000)
	for _, uploads := range []int{6, 20} {
		runtime.GC()
		before := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(before)
		stop := heapPeak()
		var all sync.WaitGroup
		for i := range uploads {
			all.Go(func() {
				a := s.upload(i%2 == 0, picture)
				assert.Equal(t, http.StatusServiceUnavailable, a.status, string(a.raw)) // this platform has no object store
				assert.Contains(t, []any{"PICTURE_STORE_UNAVAILABLE", "DOCUMENT_STORE_UNAVAILABLE", "BUSY"}, a.body["code"])
				assert.NotEmpty(t, a.header.Get("Retry-After"))
			})
		}
		all.Wait()
		peak := int64(stop()) - int64(before[0].Value.Uint64())
		t.Logf("%d uploads: %d MiB of heap", uploads, peak>>20)
		assert.Less(t, peak, int64(2*memory)<<20, "%d uploads", uploads)
	}
	tooLarge := widePicture(t, 2_400)
	for logo, field := range map[bool]string{true: "logo", false: "file"} {
		a := s.upload(logo, tooLarge)
		assert.Equal(t, http.StatusUnprocessableEntity, a.status)
		assert.Equal(t, "PICTURE_MEMORY", a.body["code"])
		require.Len(t, a.body["errors"], 1, field)
		errors, _ := a.body["errors"].([]any)
		first, _ := errors[0].(map[string]any)
		assert.Equal(t, field, first["location"])
	}
}
