package receipts

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Values of the PNG format (W3C, third edition).
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	colourGrey   = 0
	colourRGB    = 2
	filterNone   = 0
	filterUp     = 2
	unitMetre    = 1
	// dotsPerMetre is the resolution of a printer head, so that a picture prints at its true size.
	dotsPerMetre = 8_000
)

// pngWriter assembles files, reusing its memory. The standard library's encoder spends most of its time
// converting colours and trying five filters on each row; a receipt needs neither.
type pngWriter struct {
	out []byte
}

// file returns a PNG of the canvas's size, a sample depth and a colour type around compressed rows.
func (p *pngWriter) file(c *canvas, depth, colour byte, compressed []byte) []byte {
	p.out = append(p.out[:0], pngSignature...)
	var head [13]byte // the last three bytes: deflate, adaptive filters, no interlace
	binary.BigEndian.PutUint32(head[0:], uint32(c.width))
	binary.BigEndian.PutUint32(head[4:], uint32(c.height))
	head[8], head[9] = depth, colour
	p.chunk("IHDR", head[:])
	var size [9]byte
	binary.BigEndian.PutUint32(size[0:], dotsPerMetre)
	binary.BigEndian.PutUint32(size[4:], dotsPerMetre)
	size[8] = unitMetre
	p.chunk("pHYs", size[:])
	p.chunk("IDAT", compressed)
	p.chunk("IEND", nil)
	return bytes.Clone(p.out)
}

// chunk appends one chunk: length, type, data and the checksum of the latter two.
func (p *pngWriter) chunk(kind string, data []byte) {
	p.out = binary.BigEndian.AppendUint32(p.out, uint32(len(data)))
	start := len(p.out)
	p.out = append(p.out, kind...)
	p.out = append(p.out, data...)
	p.out = binary.BigEndian.AppendUint32(p.out, crc32.ChecksumIEEE(p.out[start:]))
}
