package sales

import "banca/internal/receipts"

// Render draws a receipt or a slip in a format and returns it with its media type. "" is PNG. Errors:
// ErrReceiptFormat.
func Render(r *receipts.Renderer, d receipts.Printable, format string) (content []byte, mediaType string, err error) {
	switch format {
	case "", FormatPNG:
		content, err = r.RenderPNG(d)
		return content, "image/png", err
	case FormatPNG1:
		content, err = r.RenderPNG1(d)
		return content, "image/png", err
	case FormatESCPOS:
		content, err = r.RenderESCPOS(d)
	case FormatESCPOSRaster:
		content, err = r.RenderRaster(d)
	default:
		return nil, "", ErrReceiptFormat
	}
	return content, "application/octet-stream", err
}
