package receipts

import "banca/internal/platform/apperr"

// ErrTooLarge refuses a Document beyond MaxLines, MaxElements, MaxNotes or MaxHeight. A ticket that was sold can
// always be drawn, because sales bound their lines far lower; it means a bug or a hostile caller.
var ErrTooLarge = apperr.New(apperr.TooLarge, "RECEIPT_TOO_LARGE", "the receipt is too long to draw")

// ErrQR refuses a QR text that is not a URL in plain ASCII, or would need modules too small to print.
var ErrQR = apperr.New(apperr.Invalid, "RECEIPT_QR_INVALID", "the link is too long for a printed QR code")

// ErrFormat refuses a format other than the formats of this package.
var ErrFormat = apperr.New(apperr.Invalid, "RECEIPT_FORMAT", "format must be png, png-rgb, escpos or escpos-raster, or with -80 png, escpos or escpos-raster")
