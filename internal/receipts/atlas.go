package receipts

import (
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Sizes of the type in pixels per em. Go Mono at 20 px is exactly 12 px per character, which stays clean
// when reduced to black and white; 30 px is 18.
const (
	textSize  = 20
	largeSize = 30
	// levels is the number of shades of ink, 0 white to 5 black. Six divide 255 evenly, look like 256 at
	// this size and make the file 8 % smaller than sixteen do.
	levels = 6
	// glyphCount is the size of the supported set, see printable.
	glyphCount = ('~' - ' ' + 1) + (0xFF - 0xA1 + 1)
)

// glyph is a rasterised character: ink shades row by row, placed relative to the left of its cell and
// the top of its line.
type glyph struct {
	x, y, width int
	ink         []uint8
}

// face is all the glyphs of one style.
type face struct {
	advance, height int // of a character and of a line, in pixels
	ascent          int // from the top of the line to the base line
	glyphs          [glyphCount]glyph
}

// atlas is the typeface in every style. It is immutable, so that any number of goroutines may draw.
type atlas [styleCount]*face

// newAtlas rasterises the embedded Go Mono fonts, once per Renderer: a few milliseconds.
func newAtlas() (*atlas, error) {
	var a atlas
	for st, src := range [styleCount]struct {
		ttf  []byte
		size float64
	}{{gomono.TTF, textSize}, {gomonobold.TTF, textSize}, {gomonobold.TTF, largeSize}} {
		f, err := newFace(src.ttf, src.size)
		if err != nil {
			return nil, fmt.Errorf("rasterise the receipt font: %w", err)
		}
		a[st] = f
	}
	return &a, nil
}

// newFace rasterises the supported characters of a font.
func newFace(ttf []byte, size float64) (*face, error) {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	ff, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, err
	}
	defer func() { _ = ff.Close() }() // it only releases memory
	m := ff.Metrics()
	advance, ok := ff.GlyphAdvance('0')
	if !ok {
		return nil, errors.New("the font has no digits")
	}
	f := &face{advance: advance.Round(), ascent: m.Ascent.Ceil(), height: m.Ascent.Ceil() + m.Descent.Ceil()}
	for r := rune(' '); r <= 0xFF; r++ {
		if printable(r) {
			f.glyphs[glyphIndex(r)] = rasterise(ff, r, f.ascent)
		}
	}
	return f, nil
}

// rasterise draws one character with its base line at ascent.
func rasterise(ff font.Face, r rune, ascent int) glyph {
	box, mask, at, _, ok := ff.Glyph(fixed.P(0, ascent), r)
	if !ok || box.Empty() {
		return glyph{}
	}
	alpha, ok := mask.(*image.Alpha)
	if !ok { // opentype's faces document that it is one
		return glyph{}
	}
	g := glyph{x: box.Min.X, y: box.Min.Y, width: box.Dx(), ink: make([]uint8, 0, box.Dx()*box.Dy())}
	for y := range box.Dy() {
		for x := range box.Dx() {
			a := int(alpha.AlphaAt(at.X+x, at.Y+y).A)
			g.ink = append(g.ink, uint8((a*(levels-1)+127)/255))
		}
	}
	return g
}

// glyphIndex returns r's place in face.glyphs, and the substitute's for a character out of the set.
func glyphIndex(r rune) int {
	switch {
	case r >= ' ' && r <= '~':
		return int(r - ' ')
	case r >= 0xA1 && r <= 0xFF:
		return int(r-0xA1) + '~' - ' ' + 1
	}
	return substitute - ' '
}
