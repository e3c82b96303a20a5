package receipts

import (
	"encoding/binary"
	"image"
	"image/color"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"rsc.io/qr"

	"banca/internal/dev/testkit/printer"
)

// painted returns the canvas of a Document.
func painted(t testing.TB, r *Renderer, d *Document) *canvas {
	t.Helper()
	var c canvas
	c.reset(narrow)
	require.NoError(t, r.atlas.paint(&c, d))
	return &c
}

// TestPicturesDecodeToTheCanvas holds our encoder against the standard library's decoder, for both
// depths, and the raster commands against the same canvas.
func TestPicturesDecodeToTheCanvas(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := painted(t, r, s.doc)
			rgb, err := r.RenderRGB(s.doc)
			require.NoError(t, err)
			bits, err := r.RenderPNG(s.doc)
			require.NoError(t, err)
			full, mono := image.NewRGBA(image.Rect(0, 0, Width, c.height)), image.NewGray(image.Rect(0, 0, Width, c.height))
			for i, ink := range c.pix {
				grey := shade(ink)
				full.Set(i%Width, i/Width, color.RGBA{grey, grey, grey, 255})
				mono.Pix[i] = 255
				if ink >= threshold {
					mono.Pix[i] = 0
				}
			}
			requireSamePixels(t, full, decode(t, rgb))
			requireSamePixels(t, mono, decode(t, bits))
			assert.Equal(t, []byte{8, 2}, rgb[24:26], "8-bit RGB, as WhatsApp documents")
			assert.Equal(t, []byte{1, 0}, bits[24:26], "1-bit grey")
			assert.EqualValues(t, 384, binary.BigEndian.Uint32(rgb[16:]))
			requireRaster(t, r, s.doc, mono)
		})
	}
}

// requireRaster fails unless the printed dots are the black pixels of mono.
func requireRaster(t *testing.T, r *Renderer, d *Document, mono *image.Gray) {
	t.Helper()
	stream, err := r.RenderRaster(d)
	require.NoError(t, err)
	p, err := printer.Feed(stream)
	require.NoError(t, err)
	require.Len(t, p.Raster, mono.Bounds().Dy())
	require.Empty(t, p.Text)
	for y, row := range p.Raster {
		for x := range Width {
			black := row[x/8]>>(7-x%8)&1 == 1
			if want := mono.GrayAt(x, y).Y == 0; want != black {
				require.Failf(t, "dot differs", "x=%d y=%d", x, y)
			}
		}
	}
}

// TestEveryModuleOfTheQRCodeIsDrawn finds the code in the picture and compares every module and the quiet zone with the
// encoder's matrix.
func TestEveryModuleOfTheQRCodeIsDrawn(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	for _, text := range []string{"HTTPS://BANCA.EXAMPLE.COM/T/K7M29QXA4T", "https://banca.example.com/t/K7M29QXA4T?from=receipt"} {
		d := &Document{QR: text}
		c := painted(t, r, d)
		code, err := qr.Encode(text, qr.M)
		require.NoError(t, err)
		module := qrTarget / (code.Size + 8)
		x0, y0 := (Width-code.Size*module)/2, firstInk(c, firstRuleEnd(c))
		for y := -4; y < code.Size+4; y++ {
			for x := -4; x < code.Size+4; x++ {
				for dot := range module * module {
					ink := c.row(y0 + y*module + dot/module)[x0+x*module+dot%module]
					if code.Black(x, y) != (ink == black) {
						require.Failf(t, "module differs", "x=%d y=%d", x, y)
					}
				}
			}
		}
	}
}

// firstInk returns the first row from y on with any ink.
func firstInk(c *canvas, y int) int {
	for ; y < c.height; y++ {
		for _, ink := range c.row(y) {
			if ink > 0 {
				return y
			}
		}
	}
	return -1
}

// firstRuleEnd returns the row under the last rule, which spans the paper.
func firstRuleEnd(c *canvas) int {
	end := 0
	for y := range c.height {
		if c.row(y)[0] == black && c.row(y)[Width-1] == black {
			end = y + 1
		}
	}
	return end
}

// TestConcurrentUse draws from many goroutines; pooled memory must not leak between receipts.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	var wg sync.WaitGroup
	for _, s := range samples() {
		want, err := r.RenderRGB(s.doc)
		require.NoError(t, err)
		for range 8 {
			wg.Go(func() {
				got, err := r.RenderRGB(s.doc)
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			})
		}
	}
	wg.Wait()
}

// TestAtlasHasEveryCharacter fails for a character that would print as nothing.
func TestAtlasHasEveryCharacter(t *testing.T) {
	t.Parallel()
	r := newRenderer(t)
	assert.Equal(t, []int{12, 12, 18}, []int{r.atlas[plainStyle].advance, r.atlas[boldStyle].advance, r.atlas[largeStyle].advance})
	for char := rune('!'); char <= 0xFF; char++ {
		if !printable(char) {
			continue
		}
		for _, f := range r.atlas {
			assert.NotEmpty(t, f.glyphs[glyphIndex(char)].ink, "%q", char)
		}
		if char != substitute {
			assert.NotEqual(t, byte(substitute), codePage850(char), "%q", char)
		}
	}
}
