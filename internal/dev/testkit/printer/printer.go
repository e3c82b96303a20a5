// Package printer reads what is sent to a receipt printer, as the printer would.
package printer

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Commands of ESC/POS by their names in Epson's reference, as they stand in [Paper.Commands].
const (
	Initialize = "1b 40"       // ESC @
	Cut        = "1d 56 42 00" // GS V 66 0
	Raster     = "GS v 0"
)

const (
	symbolPrefix = "\x1d(k"
	symbolHead   = 8 // bytes before the data that are stored
	storeSymbol  = 80
	rasterPrefix = "\x1dv0\x00"
	rasterHead   = 8 // bytes before the dots
	bitsOfByte   = 8
)

// Paper is the output of a printer for a stream of commands.
type Paper struct {
	Text     string // with a line per printed line
	Commands []string
	QR       string   // the text of the QR code
	Raster   [][]byte // rows of dots, eight to a byte
}

// parameters is the number of bytes after each command that a receipt may use.
func parameters() map[string]int {
	return map[string]int{
		"\x1b@": 0, "\x1c.": 0, "\x1bR": 1, "\x1bt": 1, "\x1bE": 1, "\x1d!": 1, "\x1dB": 1, "\x1ba": 1,
		"\x1bJ": 1, "\x1bd": 1, "\x1dV": 2,
	}
}

// Feed interprets a stream. A byte that is neither of a known command nor printable is an error, as an injected command would be. So is
// a command that is cut short.
func Feed(stream []byte) (*Paper, error) {
	p := &Paper{}
	var text strings.Builder
	for len(stream) > 0 {
		b := stream[0]
		switch {
		case b == '\n' || b >= ' ' && b != 0x7F:
			text.WriteRune(charmap.CodePage850.DecodeByte(b))
			stream = stream[1:]
		case b == 0x1B || b == 0x1C || b == 0x1D:
			n, err := p.command(stream)
			if err != nil {
				return nil, err
			}
			stream = stream[n:]
		default:
			return nil, fmt.Errorf("byte %#x in the text", b)
		}
	}
	p.Text = text.String()
	return p, nil
}

var errShort = errors.New("command cut short")

// command interprets the command at the head of the stream and returns its length.
func (p *Paper) command(s []byte) (int, error) {
	if len(s) < 2 {
		return 0, errShort
	}
	var name string
	var n int
	switch {
	case bytes.HasPrefix(s, []byte(symbolPrefix)):
		if n = symbolLength(s); n > len(s) {
			return 0, errShort
		}
		if s[6] == storeSymbol {
			p.QR = string(s[symbolHead:n])
		}
		name = fmt.Sprintf("GS ( k %d", s[6])
	case bytes.HasPrefix(s, []byte(rasterPrefix)):
		if n = rasterLength(s); n > len(s) {
			return 0, errShort
		}
		for at, width := rasterHead, rasterWidth(s); at < n; at += width {
			p.Raster = append(p.Raster, s[at:at+width])
		}
		name = Raster
	default:
		extra, ok := parameters()[string(s[:2])]
		if !ok {
			return 0, fmt.Errorf("unknown command % x", s[:2])
		}
		if n = 2 + extra; n > len(s) {
			return 0, errShort
		}
		name = fmt.Sprintf("% x", s[:n])
	}
	p.Commands = append(p.Commands, name)
	return n, nil
}

func symbolLength(s []byte) int {
	if len(s) < symbolHead {
		return symbolHead
	}
	return 5 + int(s[3]) + int(s[4])<<bitsOfByte
}

func rasterWidth(s []byte) int { return int(s[4]) + int(s[5])<<bitsOfByte }

func rasterLength(s []byte) int {
	if len(s) < rasterHead {
		return rasterHead
	}
	return rasterHead + rasterWidth(s)*(int(s[6])+int(s[7])<<bitsOfByte)
}

// Picture returns the printed dots, black on white. It is empty without a raster.
func (p *Paper) Picture() *image.Gray {
	width := 0
	if len(p.Raster) > 0 {
		width = len(p.Raster[0]) * bitsOfByte
	}
	picture := image.NewGray(image.Rect(0, 0, width, len(p.Raster)))
	for y, row := range p.Raster {
		for x := range width {
			if row[x/bitsOfByte]>>(bitsOfByte-1-x%bitsOfByte)&1 == 0 {
				picture.SetGray(x, y, color.Gray{Y: 255})
			}
		}
	}
	return picture
}
