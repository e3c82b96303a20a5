package receipts

// QR functions of GS ( k, by the numbers of Epson's reference.
const (
	qrSymbol      = 49
	qrModel       = 65 // function 165
	qrModuleSize  = 67 // function 167
	qrCorrection  = 69 // function 169
	qrStore       = 80 // function 180
	qrPrint       = 81 // function 181
	qrModel2      = 50
	qrCorrectionM = 49
	qrFirst       = 48 // the one parameter of store and print
)

// bandHeight is the rows of dots sent in one raster command. A band of 48 rows is at most 3.5 kB, which fits the
// 4 kB receive buffer of small printers, so that they print while the next one arrives.
const bandHeight = 48

// qr makes the printer draw the QR code, some 70 bytes instead of 4 kB of dots. The text is encoded here as well, to
// refuse a text that does not fit and to choose the same module size as in the picture.
func (p *escpos) qr(text string) error {
	_, module, err := qrEncode(text)
	if err != nil {
		return err
	}
	p.out.WriteString(cmdAlignCentre)
	p.symbol(qrModel, qrModel2, 0)
	p.symbol(qrModuleSize, byte(module))
	p.symbol(qrCorrection, qrCorrectionM)
	p.symbol(qrStore, append([]byte{qrFirst}, text...)...)
	p.symbol(qrPrint, qrFirst)
	p.out.WriteString(cmdAlignLeft)
	return nil
}

// symbol writes one QR function with its parameters.
func (p *escpos) symbol(function byte, parameters ...byte) {
	n := 2 + len(parameters)
	p.out.WriteString(cmdSymbol)
	p.out.Write([]byte{byte(n), byte(n >> 8), qrSymbol, function})
	p.out.Write(parameters)
}

// raster writes a picture from the first command to the cut.
func (p *escpos) raster(c *canvas) {
	p.out.WriteString(cmdInitialize)
	p.bands(c)
	p.out.WriteString(cmdFeedToTear + cmdCut)
}

// bands writes the canvas as bands of dots.
func (p *escpos) bands(c *canvas) {
	row := c.width / bitsOfByte
	p.out.Grow(c.height*row + 1_024)
	line := make([]byte, row)
	for top := 0; top < c.height; top += bandHeight {
		h := min(bandHeight, c.height-top)
		p.out.WriteString(cmdRaster)
		p.out.Write([]byte{byte(row), 0, byte(h), 0})
		for y := top; y < top+h; y++ {
			packBlack(line, c.row(y))
			p.out.Write(line)
		}
	}
}
