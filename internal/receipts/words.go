package receipts

// Language of a receipt's fixed words, as an ISO 639-1 code.
type Language string

// The languages of the catalogue.
const (
	Spanish Language = "es"
	English Language = "en"
)

// words are the fixed texts of a receipt. They hold only characters of the supported set.
type words struct {
	serial, validation, issued, seller, customer string
	bet, bets                                    string // singular and plural
	total, payment                               string
	cancelled, copied                            string
	scan                                         string // under the QR code
}

// catalogue returns the words of a language; an unknown one gets Spanish, which every customer reads.
func catalogue(l Language) words {
	if l == English {
		return words{
			serial: "Ticket", validation: "Validation", issued: "Date", seller: "Seller", customer: "Customer",
			bet: "bet", bets: "bets", total: "TOTAL", payment: "PAYMENT DETAILS",
			cancelled: "CANCELLED", copied: "COPY", scan: "Scan to check your ticket",
		}
	}
	return words{
		serial: "Ticket", validation: "Validación", issued: "Fecha", seller: "Vendedor", customer: "Cliente",
		bet: "jugada", bets: "jugadas", total: "TOTAL", payment: "DATOS DE PAGO",
		cancelled: "ANULADO", copied: "COPIA", scan: "Escanee y consulte su ticket",
	}
}
