package receipts

import (
	"bytes"
	"fmt"

	"golang.org/x/text/encoding/charmap"
)

// ESC/POS commands, named as in Epson's reference. Those chosen are the ones that low-cost
// printers share.
const (
	cmdInitialize  = "\x1b@"
	cmdCancelKanji = "\x1c."     // FS . : Chinese firmware else takes two accented letters for one character
	cmdCharsetUSA  = "\x1bR\x00" // ESC R 0: # $ @ [ ] stay themselves
	cmdCodePage850 = "\x1bt\x02" // ESC t 2: PC850, all of Latin-1; page 2 on every brand
	cmdBoldOn      = "\x1bE\x01"
	cmdBoldOff     = "\x1bE\x00"
	cmdDoubleSize  = "\x1d!\x11" // twice as wide and twice as high
	cmdNormalSize  = "\x1d!\x00"
	cmdInverseOn   = "\x1dB\x01"
	cmdInverseOff  = "\x1dB\x00"
	cmdAlignCentre = "\x1ba\x01"
	cmdAlignLeft   = "\x1ba\x00"
	cmdFeedGap     = "\x1bJ\x08"  // ESC J 8: one millimetre
	cmdFeedToTear  = "\x1bd\x04"  // ESC d 4: the last line passes the tear bar
	cmdCut         = "\x1dVB\x00" // GS V 66 0: feed to the cutter and cut; without a cutter, nothing
	cmdRaster      = "\x1dv0\x00" // GS v 0, normal density; width in bytes and height in dots follow
	cmdSymbol      = "\x1d(k"     // GS ( k: two-dimensional codes; length, 49 for QR and a function follow
)

// Bytes of code page 850, the same in page 437, that draw lines.
const (
	thinLine   = 0xC4
	doubleLine = 0xCD
)

// escpos writes printer commands for a paper.
type escpos struct {
	paper paper
	out   bytes.Buffer
}

// textMetrics returns the metrics of text mode, in characters.
func textMetrics(p paper) metrics {
	return metrics{width: p.columns(), advance: [styleCount]int{1, 1, 2}, gap: 1, gutter: 2}
}

// document writes the receipt from the first command to the cut.
func (p *escpos) document(d Printable) error {
	p.out.WriteString(cmdInitialize + cmdCancelKanji + cmdCharsetUSA + cmdCodePage850)
	rs := d.layout(textMetrics(p.paper))
	for _, r := range rs.list {
		switch r.kind {
		case qrRow:
			if err := p.qr(d.qrText()); err != nil {
				return err
			}
		case logoRow:
			p.logo(d.picture())
		default:
			p.row(r.kind, rs.of(r))
		}
	}
	p.out.WriteString(cmdFeedToTear + cmdCut)
	return nil
}

// row writes one row of text or lines.
func (p *escpos) row(kind rowKind, fields []field) {
	switch kind {
	case gapRow:
		p.out.WriteString(cmdFeedGap)
		return
	case ruleRow:
		p.line(doubleLine, p.paper.columns())
	case barRow:
		p.bar(fields[0])
	case frameRow:
		p.line(doubleLine, fields[0].x-1)
		p.out.WriteByte(' ')
		p.styled(fields[0].style, fields[0].text)
		p.out.WriteByte(' ')
		p.line(doubleLine, p.paper.columns()-fields[0].x-columns(fields[0].text)-1)
	case headingRow:
		if n := p.paper.columns() - p.fields(fields) - 1; n > 0 {
			p.out.WriteByte(' ')
			p.line(thinLine, n)
		}
	default:
		p.fields(fields)
	}
	p.out.WriteByte('\n')
}

// bar writes white on black across the paper. Its spaces are as large as its text, because a printer
// blackens only the cells of characters.
func (p *escpos) bar(f field) {
	whole := p.paper.columns() / textMetrics(p.paper).advance[f.style]
	left := (whole - columns(f.text)) / 2
	p.out.WriteString(cmdInverseOn)
	p.styled(f.style, fmt.Sprintf("%*s%-*s", left, "", whole-left, f.text))
	p.out.WriteString(cmdInverseOff)
}

// fields writes texts at their columns and returns the column after the last. The space between is in
// the plain style, whose character is the unit of columns.
func (p *escpos) fields(fields []field) int {
	at := 0
	for _, f := range fields {
		if f.text == "" {
			continue
		}
		p.line(' ', f.x-at)
		p.styled(f.style, f.text)
		at = f.x + columns(f.text)*textMetrics(p.paper).advance[f.style]
	}
	return at
}

// styled writes s in a style and returns to plain.
func (p *escpos) styled(st style, s string) {
	on, off := styleCommands(st)
	p.out.WriteString(on)
	for _, r := range s {
		p.out.WriteByte(codePage850(r))
	}
	p.out.WriteString(off)
}

// styleCommands returns what switches a style on, and back to plain.
func styleCommands(st style) (on, off string) {
	switch st {
	case boldStyle:
		return cmdBoldOn, cmdBoldOff
	case largeStyle:
		return cmdBoldOn + cmdDoubleSize, cmdNormalSize + cmdBoldOff
	default:
		return "", ""
	}
}

// codePage850 returns the byte of r. It is the last guard: no text byte below space leaves here.
func codePage850(r rune) byte {
	if b, ok := charmap.CodePage850.EncodeRune(r); ok && printable(r) {
		return b
	}
	return substitute
}

// line writes b n times.
func (p *escpos) line(b byte, n int) {
	for range max(n, 0) {
		p.out.WriteByte(b)
	}
}
