package pixels

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// ErrFormat reports that a file is neither PNG nor JPEG.
var ErrFormat = errors.New("pixels: neither PNG nor JPEG")

// Size is the size of a picture according to its headers.
type Size struct {
	Width, Height int
	Bytes         int64 // that decoding takes at its peak
	JPEG          bool
}

// RGBABytes are the bytes of a copy of the picture with 8 bits per channel.
func (s *Size) RGBABytes() int64 { return rgba * int64(s.Width) * int64(s.Height) }

// Bytes of a pixel.
const (
	rgba   = 4 // 8 bits per channel
	rgba64 = 8 // 16 bits per channel
)

// Measure reads the headers of a PNG or JPEG picture. Errors: ErrFormat, errors of the decoders.
func Measure(body []byte) (Size, error) {
	switch {
	case bytes.HasPrefix(body, []byte(pngSignature)):
		config, err := png.DecodeConfig(bytes.NewReader(body))
		if err != nil {
			return Size{}, err
		}
		return Size{Width: config.Width, Height: config.Height, Bytes: pngBytes(body, &config)}, nil
	case bytes.HasPrefix(body, []byte("\xff\xd8\xff")):
		config, err := jpeg.DecodeConfig(bytes.NewReader(body))
		if err != nil {
			return Size{}, err
		}
		return Size{Width: config.Width, Height: config.Height, Bytes: jpegBytes(body, &config), JPEG: true}, nil
	default:
		return Size{}, ErrFormat
	}
}

// Layout of a PNG file.
const (
	pngSignature    = "\x89PNG\r\n\x1a\n"
	pngInterlace    = 28 // offset of the interlace method
	pngHeaderEnd    = 33 // offset of the chunk behind the header
	chunkName       = 4  // offset of a chunk's name
	chunkAround     = 12 // length, name and checksum
	interlaceCopies = 2  // each pass has an image of its own
)

// pngBytes returns what image/png allocates for the pixels.
func pngBytes(body []byte, config *image.Config) int64 {
	pixels := int64(config.Width) * int64(config.Height)
	var n int64
	switch config.ColorModel {
	case color.GrayModel:
		n = pixels
		if transparent(body) { // decoded as NRGBA
			n = rgba * pixels
		}
	case color.Gray16Model:
		n = 2 * pixels
		if transparent(body) { // decoded as NRGBA64
			n = rgba64 * pixels
		}
	case color.RGBAModel, color.NRGBAModel:
		n = rgba * pixels
	case color.RGBA64Model, color.NRGBA64Model:
		n = rgba64 * pixels
	default: // a palette
		n = pixels
	}
	if len(body) > pngInterlace && body[pngInterlace] != 0 {
		n *= interlaceCopies
	}
	return n
}

// transparent reports whether a PNG has a tRNS chunk before its pixels.
func transparent(body []byte) bool {
	for at := pngHeaderEnd; at+chunkAround <= len(body); {
		switch string(body[at+chunkName : at+2*chunkName]) {
		case "tRNS":
			return true
		case "IDAT":
			return false
		}
		length := int64(body[at])<<24 | int64(body[at+1])<<16 | int64(body[at+2])<<8 | int64(body[at+3])
		if length > int64(len(body)) {
			return false
		}
		at += chunkAround + int(length)
	}
	return false
}
