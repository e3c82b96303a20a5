package receipts

import (
	"image"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/printer"
)

// TestGoldenWide holds a receipt and a slip for 80 mm: 48 characters, or 576 dots, which the raster commands print dot by dot.
func TestGoldenWide(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for name, d := range map[string]Printable{"wide": mixedDoc(), "wide-slip": closeSlip()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, mediaType, err := r.Render(d, "png-80")
			require.NoError(t, err)
			assert.Equal(t, "image/png", mediaType)
			picture := decode(t, golden(t, name+".png", file))
			requireSamePixels(t, picture, decode(t, file))
			assert.Equal(t, 576, picture.Bounds().Dx())
			text := fed(t, r, d, "escpos-80")
			assert.Equal(t, string(golden(t, name+".txt", []byte(text.Text))), text.Text)
			requirePrinted(t, picture, fed(t, r, d, "escpos-raster-80").Picture())
		})
	}
}

// fed is a document on paper, printed by the commands of a format.
func fed(t *testing.T, r *Renderer, d Printable, format string) *printer.Paper {
	t.Helper()
	stream, mediaType, err := r.Render(d, format)
	require.NoError(t, err)
	assert.Equal(t, "application/octet-stream", mediaType)
	p, err := printer.Feed(stream)
	require.NoError(t, err)
	return p
}

// requirePrinted fails at the first printed dot that the picture does not have.
func requirePrinted(t *testing.T, picture image.Image, dots *image.Gray) {
	t.Helper()
	require.Equal(t, picture.Bounds(), dots.Bounds())
	for y := range dots.Rect.Dy() {
		for x := range dots.Rect.Dx() {
			if rgba(picture, x, y).R != dots.GrayAt(x, y).Y {
				require.Failf(t, "dot differs", "x=%d y=%d", x, y)
			}
		}
	}
}

// TestPapersShareTheirMemory draws on both papers in turn.
func TestPapersShareTheirMemory(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	first := map[string][]byte{}
	for range 3 {
		for _, format := range []string{"png", "png-80", "escpos-raster-80", "png-rgb"} {
			out, _, err := r.Render(fortyDoc(), format)
			require.NoError(t, err)
			if first[format] == nil {
				first[format] = out
			}
			assert.Equal(t, first[format], out, format)
		}
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, format := range []string{"pdf", "-80", "png-rgb-80", "png1-80", "escpos-58", "png-80-80"} {
		_, _, err := r.Render(sparseDoc(), format)
		require.ErrorIs(t, err, ErrFormat, format)
	}
}
