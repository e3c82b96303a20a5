// Package receipts draws the receipt of a lottery ticket for 58 mm thermal printers: as a PNG to send,
// as a 1-bit PNG or ESC/POS raster to print, and as ESC/POS text for slow links.
//
// It is pure: a Document goes in, bytes come out. It reads no database, clock or environment, and all
// amounts and times reach it as text that the caller formatted.
//
// How a receipt is made: clean makes every text printable, layout turns the Document into rows for a
// medium (pixels or characters), and a painter turns rows into a bitmap or into printer commands. Both
// media share the layout, so a picture and a paper say the same.
//
// Invariants:
//   - The picture is exactly 384 px wide: the 48 mm print width of a 58 mm printer at 8 dots per mm.
//   - The serial code is printed exactly once. The QR code holds it only inside its URL.
//   - No amount and no code is cut to fit: what does not fit in two columns goes into one, and what does
//     not fit in one goes onto a line of its own. Element names are shortened, to four characters, and so
//     is any text beyond 200 characters, which is no real one.
//   - No control byte of a Document reaches a printer; every command in the output is ours.
//   - A Document beyond the limits is refused with ErrTooLarge before much memory is spent on it.
package receipts
