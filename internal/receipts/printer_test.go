package receipts

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// paper is the output of a printer for a stream of commands.
type paper struct {
	text     string // with a line per printed line
	commands []string
	qr       string
	raster   [][]byte // rows of dots
}

// parameters is the number of bytes after each command that a receipt may use.
func parameters() map[string]int {
	return map[string]int{
		"\x1b@": 0, "\x1c.": 0, "\x1bR": 1, "\x1bt": 1, "\x1bE": 1, "\x1d!": 1, "\x1dB": 1, "\x1ba": 1,
		"\x1bJ": 1, "\x1bd": 1, "\x1dV": 2,
	}
}

// feed interprets a stream as a printer would. Any byte that is neither of a known command nor
// printable is an error: that is what an injection would look like.
func feed(stream []byte) (*paper, error) {
	p := &paper{}
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
	p.text = text.String()
	return p, nil
}

// command interprets the command at the head of the stream and returns its length.
func (p *paper) command(s []byte) (int, error) {
	if len(s) < 2 {
		return 0, errors.New("command cut short")
	}
	var name string
	var n int
	switch {
	case bytes.HasPrefix(s, []byte(cmdSymbol)):
		n = 5 + int(s[3]) + int(s[4])<<8
		if s[6] == qrStore {
			p.qr = string(s[8:n])
		}
		name = fmt.Sprintf("GS ( k %d", s[6])
	case bytes.HasPrefix(s, []byte(cmdRaster)):
		width, height := int(s[4])+int(s[5])<<8, int(s[6])+int(s[7])<<8
		n = 8 + width*height
		for y := range height {
			p.raster = append(p.raster, s[8+y*width:8+(y+1)*width])
		}
		name = "GS v 0"
	default:
		extra, ok := parameters()[string(s[:2])]
		if !ok {
			return 0, fmt.Errorf("unknown command % x", s[:2])
		}
		n = 2 + extra
		name = fmt.Sprintf("% x", s[:n])
	}
	p.commands = append(p.commands, name)
	return n, nil
}
