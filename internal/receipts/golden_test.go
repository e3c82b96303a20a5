package receipts

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/printer"
)

// update rewrites the golden files: go test ./internal/receipts -update, then look at every picture.
var update = flag.Bool("update", false, "rewrite the golden files") //nolint:gochecknoglobals // a flag of the test binary

func newRenderer(t testing.TB) *Renderer {
	t.Helper()
	r, err := New()
	require.NoError(t, err)
	return r
}

func decode(t testing.TB, file []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	return img
}

// golden returns the kept file after replacing it by got if asked to.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	return want
}

// TestGoldenPNG compares pictures by pixels, not bytes, so that a new compressor breaks nothing.
func TestGoldenPNG(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, err := r.RenderRGB(s.doc)
			require.NoError(t, err)
			requireSamePixels(t, decode(t, golden(t, s.name+".png", got)), decode(t, got))
		})
	}
}

// TestGoldenText compares the printed characters of text mode.
func TestGoldenText(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, err := r.RenderESCPOS(s.doc)
			require.NoError(t, err)
			p, err := printer.Feed(got)
			require.NoError(t, err)
			assert.Equal(t, string(golden(t, s.name+".txt", []byte(p.Text))), p.Text)
			assert.Equal(t, s.doc.QR, p.QR)
		})
	}
}

// requireSamePixels fails at the first pixel that differs.
func requireSamePixels(t *testing.T, want, got image.Image) {
	t.Helper()
	require.Equal(t, want.Bounds(), got.Bounds())
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if a, b := rgba(want, x, y), rgba(got, x, y); a != b {
				require.Failf(t, "pixel differs", "x=%d y=%d want %v got %v", x, y, a, b)
			}
		}
	}
}

func rgba(img image.Image, x, y int) color.RGBA {
	c, _ := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
	return c
}
