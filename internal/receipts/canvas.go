package receipts

// canvas is a picture that grows downwards: one byte of ink per pixel, 0 white to levels-1 black.
type canvas struct {
	pix    []uint8 // width bytes per row
	width  int
	height int
}

// pooledHeight is the tallest canvas of 58 mm whose memory is kept, in pixels: some 200 bets, 2 MB.
const pooledHeight = 6_000

// black is full ink.
const black = levels - 1

// reset empties the canvas for a paper and keeps its memory.
func (c *canvas) reset(p paper) { c.pix, c.width, c.height = c.pix[:0], p.dots(), 0 }

// extend adds h white rows and returns the y of the first.
func (c *canvas) extend(h int) int {
	y, n := c.height, len(c.pix)
	if need := n + h*c.width; need <= cap(c.pix) {
		c.pix = c.pix[:need]
		clear(c.pix[n:])
	} else {
		c.pix = append(c.pix, make([]uint8, h*c.width)...)
	}
	c.height += h
	return y
}

// row returns the pixels of row y.
func (c *canvas) row(y int) []uint8 { return c.pix[y*c.width : (y+1)*c.width] }

// fill blackens a rectangle that lies within the canvas.
func (c *canvas) fill(x, y, w, h int) {
	for ; h > 0; h, y = h-1, y+1 {
		line := c.row(y)[x : x+w]
		for i := range line {
			line[i] = black
		}
	}
}

// invert swaps black and white in rows y to y+h.
func (c *canvas) invert(y, h int) {
	part := c.pix[y*c.width : (y+h)*c.width]
	for i, ink := range part {
		part[i] = black - ink
	}
}

// text draws s with the top of its line at y. What would leave the canvas is clipped.
func (c *canvas) text(f *face, x, y int, s string) {
	for _, r := range s {
		c.glyph(&f.glyphs[glyphIndex(r)], x, y)
		x += f.advance
	}
}

// glyph draws a character. Where glyphs overlap by a pixel the darker one wins.
func (c *canvas) glyph(g *glyph, x, y int) {
	x, y = x+g.x, y+g.y
	left, right := max(0, -x), min(g.width, c.width-x)
	if left >= right {
		return
	}
	for ink := g.ink; len(ink) > 0; ink, y = ink[g.width:], y+1 {
		if y < 0 || y >= c.height {
			continue
		}
		dst := c.pix[y*c.width+x+left : y*c.width+x+right]
		for i, v := range ink[left:right] {
			dst[i] = max(dst[i], v)
		}
	}
}
