package receipts

// paper is the width of a printer's paper, in millimetres.
type paper int

const (
	narrow paper = 58
	wide   paper = 80
)

const (
	// Width of the picture for 58 mm in pixels: 48 mm at 8 dots per mm.
	Width = 384
	// wideWidth is the width for 80 mm: 72 mm at 8 dots per mm.
	wideWidth = 576
	// charWidth is the width of font A in dots.
	charWidth = 12
)

// dots is the print width, which is the width of the picture in pixels.
func (p paper) dots() int {
	if p == wide {
		return wideWidth
	}
	return Width
}

// columns is the print width in characters of font A: 32 or 48.
func (p paper) columns() int { return p.dots() / charWidth }
