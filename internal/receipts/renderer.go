package receipts

import (
	"runtime"
	"sync"
)

// Printable is a *Document or a *Slip.
type Printable interface {
	check() error
	layout(m metrics) *rows
	qrText() string // "" for no QR code
	picture() *Logo // nil for none
}

// Renderer draws receipts. It is safe for concurrent use.
type Renderer struct {
	atlas *atlas
	pool  sync.Pool     // of *encoder
	slots chan struct{} // one for each processor, so that hundreds of concurrent tasks need few encoders
}

// New rasterises the typeface. Make one Renderer and keep it: it takes two milliseconds and 200 kB.
func New() (*Renderer, error) {
	a, err := newAtlas()
	if err != nil {
		return nil, err
	}
	return &Renderer{atlas: a, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}, nil
}

// RenderRGB returns the receipt for 58 mm as an 8-bit RGB PNG with soft edges. Like all methods it fails with ErrTooLarge or
// ErrQR only.
func (r *Renderer) RenderRGB(d Printable) ([]byte, error) {
	return r.draw(d, narrow, (*encoder).rgb)
}

// RenderPNG returns the receipt for 58 mm as a 1-bit PNG, to store, to send and to print.
func (r *Renderer) RenderPNG(d Printable) ([]byte, error) {
	return r.draw(d, narrow, (*encoder).bits)
}

// RenderRaster returns the commands that print the picture of 58 mm on an ESC/POS printer: the same on every
// printer, and some fifty times the bytes of RenderESCPOS.
func (r *Renderer) RenderRaster(d Printable) ([]byte, error) { return r.raster(d, narrow) }

func (r *Renderer) raster(d Printable, on paper) ([]byte, error) {
	return r.draw(d, on, func(e *encoder) ([]byte, error) {
		p := escpos{paper: on}
		p.raster(&e.canvas)
		return p.out.Bytes(), nil
	})
}

// RenderESCPOS returns the commands that print the receipt of 58 mm in an ESC/POS printer's own letters: a
// kilobyte or two, which matters on a Bluetooth link.
func (r *Renderer) RenderESCPOS(d Printable) ([]byte, error) { return commands(d, narrow) }

func commands(d Printable, on paper) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	p := escpos{paper: on}
	if err := p.document(d); err != nil {
		return nil, err
	}
	return p.out.Bytes(), nil
}

// draw paints the receipt for a paper and encodes it.
func (r *Renderer) draw(d Printable, on paper, encode func(*encoder) ([]byte, error)) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	e, ok := r.pool.Get().(*encoder)
	if !ok {
		var err error
		if e, err = newEncoder(); err != nil {
			return nil, err
		}
	}
	defer r.release(e)
	e.canvas.reset(on)
	if err := r.atlas.paint(&e.canvas, d); err != nil {
		return nil, err
	}
	return encode(e)
}

// release returns working memory to the pool, unless one extraordinary receipt made it large.
func (r *Renderer) release(e *encoder) {
	if cap(e.canvas.pix) <= pooledHeight*Width {
		r.pool.Put(e)
	}
}
