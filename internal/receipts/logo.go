package receipts

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/disintegration/imaging"
)

// maxLogoHeight is 15 mm of paper, in pixels.
const maxLogoHeight = 120

// Logo is a picture above a receipt, in dots of a printer: black and white, at most as wide as 58 mm paper prints and
// maxLogoHeight high.
type Logo struct {
	width, height int
	black         []bool // by rows
	png           []byte
}

// NewLogo reads a PNG or JPEG, of which the caller has checked the size. Shades become patterns of dots, and transparent
// parts white.
func NewLogo(file []byte) (*Logo, error) {
	picture, err := imaging.Decode(bytes.NewReader(file), imaging.AutoOrientation(true))
	if err != nil {
		return nil, err
	}
	picture = imaging.Fit(picture, Width-2*sideMargin, maxLogoHeight, imaging.Lanczos)
	size := picture.Bounds().Size()
	paper := imaging.Overlay(imaging.New(size.X, size.Y, color.White), picture, image.Point{}, 1)
	dots := image.NewPaletted(paper.Bounds(), color.Palette{color.White, color.Black})
	draw.FloydSteinberg.Draw(dots, dots.Bounds(), paper, image.Point{})
	l := &Logo{width: size.X, height: size.Y, black: make([]bool, len(dots.Pix))}
	for i, index := range dots.Pix {
		l.black[i] = index == 1
	}
	var out bytes.Buffer
	err = png.Encode(&out, dots)
	l.png = out.Bytes()
	return l, err
}

// PNG returns the logo as it is printed; nil for no logo. Callers must not change it.
func (l *Logo) PNG() []byte {
	if l == nil {
		return nil
	}
	return l.png
}

// logo draws the logo in the middle.
func (c *canvas) logo(l *Logo) {
	left, top := (c.width-l.width)/2, c.extend(l.height+gapHeight)
	for y := range l.height {
		row := c.row(top + y)[left:]
		for x, on := range l.black[y*l.width : (y+1)*l.width] {
			if on {
				row[x] = black
			}
		}
	}
}

// logo writes the logo as bands of dots, in the middle of the paper.
func (p *escpos) logo(l *Logo) {
	c := canvas{width: p.paper.dots()}
	c.logo(l)
	p.bands(&c)
}
