package org

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"banca/internal/platform/pixels"
)

// Bounds of attached files.
const (
	MaxDocument = 10 << 20 // bytes

	maxLogo     = 200_000 // bytes
	maxLogoSide = 2_000   // pixels

	maxSide   = 12_000 // pixels
	maxPixels = 32_000_000
	pdfTail   = 1 << 10 // bytes in which the end mark of a PDF must be
	zipTail   = 66_000  // bytes in which the end record of a ZIP archive must be
)

// Types of content that may be attached.
const (
	typePNG  = "image/png"
	typeJPEG = "image/jpeg"
	typePDF  = "application/pdf"
)

// content is a file whose kind was determined from its bytes.
type content struct {
	body          []byte
	kind          string // of content
	extension     string
	width, height int // of a picture, in pixels
	digest        [sha256.Size]byte
}

// isLogo reports whether a file may be a logo: a small picture.
func (c *content) isLogo() bool {
	return c.width > 0 && len(c.body) <= maxLogo && max(c.width, c.height) <= maxLogoSide
}

// examine determines the kind of a file from its bytes only. It checks the dimensions of a picture and then decodes
// it completely, within the memory that all uploads share. Errors: ErrDocumentTooLarge, ErrDocumentType,
// ErrDocumentBroken, ErrDocumentDimensions, ErrDocumentMixed, errors of pixels.Memory.
func (s *Service) examine(ctx context.Context, body []byte) (*content, error) {
	if len(body) > MaxDocument {
		return nil, ErrDocumentTooLarge
	}
	var c *content
	var err error
	switch {
	case bytes.HasPrefix(body, []byte("\x89PNG\r\n\x1a\n")):
		c, err = s.examinePicture(ctx, body, &content{kind: typePNG, extension: ".png"}, png.Decode, endOfPNG)
	case bytes.HasPrefix(body, []byte("\xff\xd8\xff")):
		c, err = s.examinePicture(ctx, body, &content{kind: typeJPEG, extension: ".jpg"}, jpeg.Decode, endOfJPEG)
	case bytes.HasPrefix(body, []byte("%PDF-1.")), bytes.HasPrefix(body, []byte("%PDF-2.")):
		c, err = examinePDF(body)
	default:
		return nil, ErrDocumentType
	}
	if err != nil {
		return nil, err
	}
	c.digest = sha256.Sum256(c.body)
	return c, nil
}

// examinePicture examines an image. Bytes after its end, such as phones append, are not stored. An image that is
// followed by a file of a known kind is refused.
func (s *Service) examinePicture(
	ctx context.Context, body []byte, c *content, decode func(r io.Reader) (image.Image, error), end func([]byte) int,
) (*content, error) {
	size, err := pixels.Measure(body)
	if err != nil {
		return nil, ErrDocumentBroken.WithCause(err)
	}
	if size.Width < 1 || size.Height < 1 || size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > maxPixels {
		return nil, ErrDocumentDimensions
	}
	n := end(body)
	if n == 0 {
		return nil, ErrDocumentBroken
	}
	if containsOtherFile(body[n:]) {
		return nil, ErrDocumentMixed
	}
	release, err := s.options.Memory.Take(ctx, size.Bytes)
	if err != nil {
		return nil, err
	}
	defer release()
	if _, err := decode(bytes.NewReader(body[:n])); err != nil {
		return nil, ErrDocumentBroken.WithCause(err)
	}
	c.body, c.width, c.height = body[:n], size.Width, size.Height
	return c, nil
}

// endOfPNG returns the offset of the first byte after the last chunk, or 0 if the image is truncated.
func endOfPNG(body []byte) int {
	const signature, around = 8, 12 // length, name and checksum
	for at := signature; at+around <= len(body); {
		length := int(binary.BigEndian.Uint32(body[at:]))
		name := string(body[at+4 : at+8])
		if length > len(body)-at-around {
			return 0
		}
		at += around + length
		if name == "IEND" {
			return at
		}
	}
	return 0
}

// endOfJPEG returns the offset of the first byte after the end-of-image marker, or 0 if the image is truncated. The
// header of a scan is followed by its data up to the next marker. In the data, 0xff is followed by 0 or by a restart
// marker.
func endOfJPEG(body []byte) int {
	const (
		marker, fill, stuffed, temporary      = 0xff, 0xff, 0x00, 0x01
		firstRestart, lastRestart, endOfImage = 0xd0, 0xd7, 0xd9
		lengthField, skip                     = 2, 2
	)
	for at := skip; at+1 < len(body); {
		if body[at] != marker {
			at++ // data of a scan
			continue
		}
		switch code := body[at+1]; {
		case code == fill:
			at++
		case code == stuffed, code == temporary, code >= firstRestart && code <= lastRestart:
			at += skip
		case code == endOfImage:
			return at + skip
		default:
			if at+skip+lengthField > len(body) {
				return 0
			}
			at += skip + max(lengthField, int(binary.BigEndian.Uint16(body[at+skip:])))
		}
	}
	return 0
}

// examinePDF examines a PDF: it must have an end mark, which only white space may follow.
func examinePDF(body []byte) (*content, error) {
	const mark = "%%EOF"
	end := bytes.LastIndex(body, []byte(mark)) + len(mark)
	if end < len(mark) || !bytes.Contains(body[max(0, end-pdfTail):end], []byte("startxref")) {
		return nil, ErrDocumentBroken
	}
	archive := bytes.Contains(body[max(0, len(body)-zipTail):], []byte("PK\x05\x06")) // the end record of an archive may be before the end of the file
	if len(bytes.Trim(body[end:], " \t\r\n\x00")) > 0 || archive {
		return nil, ErrDocumentMixed
	}
	return &content{body: body[:end], kind: typePDF, extension: ".pdf"}, nil
}

// containsOtherFile reports whether the bytes after the end of a picture contain a file of another kind.
func containsOtherFile(rest []byte) bool {
	for _, sign := range []string{"PK\x03\x04", "PK\x05\x06", "Rar!\x1a", "7z\xbc\xaf\x27\x1c", "\x7fELF"} {
		if bytes.Contains(rest, []byte(sign)) {
			return true
		}
	}
	lower := bytes.ToLower(rest)
	for _, sign := range []string{"%pdf-", "<html", "<script", "<!doctype", "<?php"} {
		if bytes.Contains(lower, []byte(sign)) {
			return true
		}
	}
	return bytes.HasPrefix(rest, []byte("MZ"))
}
