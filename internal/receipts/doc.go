// Package receipts draws the receipt of a lottery ticket for thermal printers of 58 or 80 mm: as a PNG of one bit a pixel to store,
// send and print, as an RGB PNG on request, as ESC/POS raster, and as ESC/POS text for slow links.
//
// It is pure: a Document goes in, bytes come out. It reads no database, clock or environment, and all amounts and
// times are texts that the caller formatted.
//
// Data flow: clean makes every text printable, layout turns the Document into rows for a medium (pixels or
// characters), and a painter turns rows into a bitmap or into printer commands. Both media share the layout, so a
// picture and a print have the same content.
//
// Invariants:
//   - The picture is exactly 384 px wide, the 48 mm print width of a 58 mm printer at 8 dots per mm, or 576 px for 80 mm.
//   - The serial code is printed exactly once. The QR code holds it only inside its URL.
//   - No amount and no code is cut to fit: a row too wide for two columns is set in one, and a row too wide
//     for one is broken. Element names are shortened to four characters, and any text to 200 characters.
//   - No control byte of a Document reaches a printer; every command in the output is from this package.
//   - A Document beyond the limits is refused with ErrTooLarge before much memory is allocated for it.
package receipts
