package receipts

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pictureOf is a PNG of a size, its left half black and its right half transparent.
func pictureOf(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width / 2 {
			picture.Set(x, y, color.Black)
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, picture))
	return out.Bytes()
}

// A logo fits the paper, keeps its shape, and is black where its picture is.
func TestALogoFitsThePaper(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ width, height, wide, high int }{{1_200, 400, 360, 120}, {2_000, 100, 376, 18}, {20, 2_000, 1, 120}, {40, 30, 40, 30}} {
		logo, err := NewLogo(pictureOf(t, tt.width, tt.height))
		require.NoError(t, err)
		require.Equal(t, []int{tt.wide, tt.high}, []int{logo.width, logo.height})
		if tt.wide > 8 {
			assert.True(t, logo.black[2], "left")
			assert.False(t, logo.black[logo.width-2], "transparent is white")
		}
	}
	_, err := NewLogo([]byte("none"))
	require.Error(t, err)
}

// The logo is printed above the title in every format of both papers, and nothing else is changed.
func TestTheLogoIsAboveTheTitle(t *testing.T) {
	t.Parallel()
	r, err := New()
	require.NoError(t, err)
	logo, err := NewLogo(pictureOf(t, 1_200, 400))
	require.NoError(t, err)
	plain, doc := baseDoc(), baseDoc()
	doc.Logo = logo
	for _, format := range []string{FormatPNG, FormatRGB, FormatWidePNG} {
		before, after := decoded(t, r, plain, format), decoded(t, r, doc, format)
		require.Equal(t, before.Bounds().Dy()+logo.height+gapHeight, after.Bounds().Dy(), format)
		left := (after.Bounds().Dx() - logo.width) / 2
		require.True(t, isBlack(after.At(left+2, endMargin+2)), format)
		require.False(t, isBlack(after.At(left+logo.width-2, endMargin+2)), format)
		for y := endMargin; y < before.Bounds().Dy(); y++ {
			require.Equal(t, before.At(30, y), after.At(30, y+logo.height+gapHeight), format)
		}
	}
	for _, format := range []string{FormatESCPOS, FormatWideESCPOS, FormatESCPOSRaster} {
		before, _, err := r.Render(plain, format)
		require.NoError(t, err)
		after, _, err := r.Render(doc, format)
		require.NoError(t, err)
		require.Greater(t, len(after), len(before)+logo.height*logo.width/bitsOfByte/2, format)
		require.Greater(t, bytes.Count(after, []byte(cmdRaster)), bytes.Count(before, []byte(cmdRaster)), format)
	}
	slip := &Slip{Title: "Agencia", Logo: logo}
	require.Less(t, decoded(t, r, &Slip{Title: "Agencia"}, FormatPNG).Bounds().Dy(), decoded(t, r, slip, FormatPNG).Bounds().Dy())
}

func decoded(t testing.TB, r *Renderer, d Printable, format string) image.Image {
	t.Helper()
	content, _, err := r.Render(d, format)
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(content))
	require.NoError(t, err)
	return picture
}

func isBlack(c color.Color) bool {
	r, _, _, _ := c.RGBA()
	return r < 1<<15
}
