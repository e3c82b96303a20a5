package receipts

import "strings"

// Formats of a printed document.
const (
	FormatPNG          = "png"           // one bit a pixel, as printers print it
	FormatRGB          = "png-rgb"       // 8-bit RGB with soft edges, three times as large
	FormatPNG1         = "png1"          // the former name of FormatPNG
	FormatESCPOS       = "escpos"        // text commands of the printer, smallest
	FormatESCPOSRaster = "escpos-raster" // the picture as printer commands

	// for paper of 80 mm; the others are for 58 mm
	wideSuffix       = "-80"
	FormatWidePNG    = FormatPNG + wideSuffix
	FormatWideESCPOS = FormatESCPOS + wideSuffix
	FormatWideRaster = FormatESCPOSRaster + wideSuffix
)

// Render renders a receipt or a slip in a format and returns it with its media type. "" is PNG. Errors: ErrFormat.
func (r *Renderer) Render(d Printable, format string) (content []byte, mediaType string, err error) {
	format, on := onPaper(format)
	switch format {
	case "", FormatPNG, FormatPNG1:
		content, err = r.draw(d, on, (*encoder).bits)
		return content, "image/png", err
	case FormatRGB:
		content, err = r.RenderRGB(d)
		return content, "image/png", err
	case FormatESCPOS:
		content, err = commands(d, on)
	case FormatESCPOSRaster:
		content, err = r.raster(d, on)
	default:
		return nil, "", ErrFormat
	}
	return content, "application/octet-stream", err
}

// onPaper returns the paper of a format, and the format without it.
func onPaper(format string) (string, paper) {
	switch format {
	case FormatWidePNG, FormatWideESCPOS, FormatWideRaster:
		return strings.TrimSuffix(format, wideSuffix), wide
	default:
		return format, narrow
	}
}

// Columns returns the characters of a line in a format.
func Columns(format string) int {
	_, on := onPaper(format)
	return on.columns()
}
