package templates

import (
	"slices"

	"banca/models"
)

// Language is a language of texts.
type Language string

// The languages.
const (
	Spanish Language = "es"
	English Language = "en"
)

// Languages lists the languages, the default first.
func Languages() []Language { return []Language{Spanish, English} }

// Purpose is what a message is for: the kind of the message.
type Purpose string

// The purposes.
const (
	Receipt          Purpose = models.MessageReceipt
	Cancellation     Purpose = models.MessageCancellation
	Prize            Purpose = models.MessagePrize
	PrizeCorrected   Purpose = models.MessagePrizeCorrected
	PrizeWithdrawn   Purpose = models.MessagePrizeWithdrawn
	Results          Purpose = models.MessageResults
	ResultsCorrected Purpose = models.MessageResultsCorrected
	Code             Purpose = models.MessageCode
	DailyClose       Purpose = models.MessageClose
	Settlement       Purpose = models.MessageSettlement
	OptOut           Purpose = models.MessageOptOut // confirms that no more messages come
	OptIn            Purpose = models.MessageOptIn
)

// Purposes lists the purposes in the order of pages.
func Purposes() []Purpose {
	return []Purpose{
		Receipt, Cancellation, Prize, PrizeCorrected, PrizeWithdrawn, Results, ResultsCorrected, Code, DailyClose,
		Settlement, OptOut, OptIn,
	}
}

// Bounds of messages, in characters, as WhatsApp has them.
const (
	maxCaption = 1024 // of a picture
	maxText    = 4096
)

// Limit is the greatest length of a message of a purpose, in characters. Those of tickets go with a picture.
func (p Purpose) Limit() int {
	if p == Receipt || p == Cancellation {
		return maxCaption
	}
	return maxText
}

// Field is a placeholder of a purpose.
type Field struct {
	Key      string // of Values; the same in all languages
	Max      int    // characters of a value; longer ones are cut
	Required bool   // of every text
	lines    bool   // its value may have several lines
	system   bool   // its value is not typed by a person, or by the operator's administrators only: markup stays
	spanish  string
	english  string
	sampleES string
	sampleEN string // the Spanish sample if empty
}

// Name is the name of the placeholder in the texts of a language.
func (f *Field) Name(l Language) string {
	if l == English {
		return f.english
	}
	return f.spanish
}

// Sample is a value for previews.
func (f *Field) Sample(l Language) string {
	if l == English && f.sampleEN != "" {
		return f.sampleEN
	}
	return f.sampleES
}

// common are the placeholders of every purpose but one-time codes. Compose fills them in.
func common() []Field {
	return []Field{
		{Key: FieldEntity, Max: 60, spanish: "entidad", english: "entity", sampleES: "Taquilla La Fortuna"},
		{Key: FieldGreeting, Max: 200, system: true, spanish: "saludo", english: "greeting", sampleES: "¡Gracias por su compra!", sampleEN: "Thank you!"},
		{Key: FieldSignature, Max: 200, system: true, spanish: "firma", english: "signature", sampleES: "La Fortuna · 0414-1234567"},
	}
}

// Keys of Values.
const (
	FieldEntity     = "entity"
	FieldGreeting   = "greeting"
	FieldSignature  = "signature"
	FieldCustomer   = "customer"
	FieldSerial     = "serial"
	FieldTotal      = "total"
	FieldExpires    = "expires"
	FieldLink       = "link"
	FieldPayment    = "payment"
	FieldPrize      = "prize"
	FieldBefore     = "before"
	FieldDay        = "day"
	FieldResults    = "results"
	FieldCode       = "code"
	FieldMinutes    = "minutes"
	FieldSales      = "sales"
	FieldVoids      = "voids"
	FieldPrizes     = "prizes"
	FieldCommission = "commission"
	FieldNet        = "net"
	FieldCash       = "cash"
	FieldVariance   = "variance"
	FieldFrom       = "from"
	FieldTo         = "to"
	FieldShare      = "share"
	FieldDue        = "due"
	FieldPrevious   = "previous"
	FieldPayments   = "payments"
	FieldBalance    = "balance"
	FieldWord       = "word"
)

func amountField(key, spanish, english, sample string) Field {
	return Field{Key: key, Max: 30, system: true, spanish: spanish, english: english, sampleES: sample}
}

func ticketFields() []Field {
	return []Field{
		{Key: FieldCustomer, Max: 40, spanish: "cliente", english: "customer", sampleES: "María Pérez"},
		{Key: FieldSerial, Max: 20, Required: true, system: true, spanish: "serial", english: "serial", sampleES: "7K2M9QXW4TPH"},
		amountField(FieldTotal, "total", "total", "Bs 150,00"),
		{Key: FieldLink, Max: 120, system: true, spanish: "enlace", english: "link", sampleES: "https://banca.example/t/7K2M9QXW4TPH"},
	}
}

func dayField(key, spanish, english, sample string) Field {
	return Field{Key: key, Max: 10, system: true, spanish: spanish, english: english, sampleES: sample}
}

func prizeFields() []Field {
	prize := amountField(FieldPrize, "premio", "prize", "Bs 4.500,00")
	prize.Required = true
	return []Field{prize, dayField(FieldExpires, "vence", "expires", "23/11/2026")}
}

// beforeField is the prize that the buyer was told before.
func beforeField() Field { return amountField(FieldBefore, "anterior", "before", "Bs 3.000,00") }

const samplePayment = "Pago móvil\nBanco: 0134\nTeléfono: 04141234567\nC.I./RIF: J123456789\nMonto: Bs 150,00"

// Fields lists the placeholders of a purpose.
func (p Purpose) Fields() []Field {
	switch p {
	case Receipt:
		return slices.Concat(ticketFields(), []Field{
			dayField(FieldExpires, "vence", "expires", "23/11/2026"),
			{Key: FieldPayment, Max: 200, lines: true, system: true, spanish: "pago_movil", english: "mobile_payment", sampleES: samplePayment, sampleEN: samplePaymentEN},
		}, common())
	case Cancellation:
		return slices.Concat(ticketFields(), common())
	case Prize:
		return slices.Concat(ticketFields(), prizeFields(), common())
	case PrizeCorrected:
		return slices.Concat(ticketFields(), prizeFields(), []Field{beforeField()}, common())
	case PrizeWithdrawn:
		return slices.Concat(ticketFields(), []Field{beforeField()}, common())
	case Results, ResultsCorrected:
		return slices.Concat([]Field{
			{Key: FieldCustomer, Max: 40, spanish: "cliente", english: "customer", sampleES: "María Pérez"},
			dayField(FieldDay, "dia", "day", "20/11/2026"),
			{Key: FieldResults, Max: 3000, Required: true, lines: true, spanish: "resultados", english: "results", sampleES: sampleResults},
		}, common())
	case Code:
		return []Field{
			{Key: FieldCode, Max: 10, Required: true, system: true, spanish: "codigo", english: "code", sampleES: "123456"},
			{Key: FieldMinutes, Max: 4, system: true, spanish: "minutos", english: "minutes", sampleES: "5"},
			{Key: FieldEntity, Max: 60, spanish: "entidad", english: "entity", sampleES: "La Fortuna"},
		}
	case DailyClose:
		return slices.Concat(closeFields(), common())
	case Settlement:
		return slices.Concat(settlementFields(), common())
	case OptOut:
		return slices.Concat([]Field{wordField("ALTA", "START")}, common())
	case OptIn:
		return slices.Concat([]Field{wordField("BAJA", "STOP")}, common())
	default:
		return nil
	}
}

const (
	samplePaymentEN = "Mobile payment\nBank: 0134\nPhone: 04141234567\nID: J123456789\nAmount: Bs 150,00"
	sampleResults   = "Lotto Activo\n9:00 AM 05 León\n10:00 AM 18 Burro\nTriple Zulia\n12:45 PM 381"
)

func wordField(spanish, english string) Field {
	return Field{
		Key: FieldWord, Max: 10, Required: true, system: true, spanish: "palabra", english: "word", sampleES: spanish,
		sampleEN: english,
	}
}

func closeFields() []Field {
	return []Field{
		dayField(FieldDay, "dia", "day", "20/11/2026"), amountField(FieldSales, "ventas", "sales", "Bs 12.500,00"),
		amountField(FieldVoids, "anulados", "voids", "Bs 150,00"),
		amountField(FieldPrizes, "premios", "prizes", "Bs 4.500,00"),
		amountField(FieldCommission, "comision", "commission", "Bs 1.235,00"),
		amountField(FieldNet, "neto", "net", "Bs 6.615,00"), amountField(FieldCash, "efectivo", "cash", "Bs 7.850,00"),
		amountField(FieldVariance, "diferencia", "variance", "Bs 0,00"),
	}
}

func settlementFields() []Field {
	return []Field{
		dayField(FieldFrom, "desde", "from", "16/11/2026"), dayField(FieldTo, "hasta", "to", "22/11/2026"),
		amountField(FieldSales, "ventas", "sales", "Bs 92.500,00"),
		amountField(FieldPrizes, "premios", "prizes", "Bs 61.200,00"),
		amountField(FieldCommission, "comision", "commission", "Bs 13.875,00"),
		amountField(FieldShare, "participacion", "share", "Bs 1.742,50"),
		amountField(FieldDue, "semana", "due", "Bs 15.682,50"),
		amountField(FieldPrevious, "anterior", "previous", "Bs 9.000,00"),
		amountField(FieldPayments, "pagos", "payments", "Bs -9.000,00"),
		amountField(FieldBalance, "saldo", "balance", "Bs 15.682,50"),
	}
}

// known reports whether there are texts of a purpose in a language.
func known(p Purpose, l Language) bool {
	return slices.Contains(Purposes(), p) && slices.Contains(Languages(), l)
}
