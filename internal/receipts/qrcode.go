package receipts

import (
	"strings"

	"rsc.io/qr"
)

const (
	// quietZone is the white border that ISO/IEC 18004 requires around a QR code, in modules.
	quietZone = 4
	// qrTarget is the width wanted for a code with its border, in pixels: 29 mm, easy for any telephone.
	qrTarget = 232
	// qrMinModule is the least width of a module in pixels: 0.375 mm, below which thermal ink bleeds.
	qrMinModule = 3
	// maxQRText bounds the text before encoding, in bytes; no code with 3 px modules holds more.
	maxQRText = 1_000
)

// qrEncode encodes text with medium error correction, which survives a crease, and picks the module
// width in pixels. A code that the narrow paper does not hold is refused for both.
func qrEncode(text string) (code *qr.Code, module int, err error) {
	if len(text) > maxQRText || strings.ContainsFunc(text, notInURL) {
		return nil, 0, ErrQR
	}
	code, err = qr.Encode(text, qr.M)
	if err != nil {
		return nil, 0, ErrQR.WithCause(err)
	}
	module = max(qrTarget/(code.Size+2*quietZone), qrMinModule)
	if (code.Size+2*quietZone)*module > Width {
		return nil, 0, ErrQR
	}
	return code, module, nil
}

// notInURL reports whether r cannot be in a URL (RFC 3986). It keeps command bytes from a printer that encodes the
// text itself.
func notInURL(r rune) bool { return r <= ' ' || r > '~' }

// qr draws a QR code with its quiet zone in the middle of the paper.
func (c *canvas) qr(code *qr.Code, module int) {
	x0 := (c.width - code.Size*module) / 2
	y0 := c.extend((code.Size+2*quietZone)*module) + quietZone*module
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				c.fill(x0+x*module, y0+y*module, module, module)
			}
		}
	}
}
