package receipts

// Formats of a printed document.
const (
	FormatPNG          = "png"           // one bit a pixel, as printers print it
	FormatRGB          = "png-rgb"       // 8-bit RGB with soft edges, three times as large
	FormatPNG1         = "png1"          // the former name of FormatPNG
	FormatESCPOS       = "escpos"        // text commands of the printer, smallest
	FormatESCPOSRaster = "escpos-raster" // the picture as printer commands
)

// Render renders a receipt or a slip in a format and returns it with its media type. "" is PNG. Errors: ErrFormat.
func (r *Renderer) Render(d Printable, format string) (content []byte, mediaType string, err error) {
	switch format {
	case "", FormatPNG, FormatPNG1:
		content, err = r.RenderPNG(d)
		return content, "image/png", err
	case FormatRGB:
		content, err = r.RenderRGB(d)
		return content, "image/png", err
	case FormatESCPOS:
		content, err = r.RenderESCPOS(d)
	case FormatESCPOSRaster:
		content, err = r.RenderRaster(d)
	default:
		return nil, "", ErrFormat
	}
	return content, "application/octet-stream", err
}
