package bank

import (
	"strings"
	"time"
	"unicode"

	"banca/internal/platform/apperr"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

// Names of the fields, exactly as the bank writes them.
const (
	fieldClient        = "IdCliente"
	fieldAmount        = "Monto"
	fieldMerchantPhone = "TelefonoComercio"
	fieldSenderPhone   = "TelefonoEmisor"
	fieldReference     = "Referencia"
	fieldBank          = "BancoEmisor"
	fieldNetworkCode   = "CodigoRed"
	fieldConcept       = "Concepto"
	fieldInstant       = "FechaHora"
	fieldMerchant      = "IdComercio"
)

// ignoredFields is the key, in an event's fields, of the list of optional fields that are invalid.
const ignoredFields = "ignored"

// maxText is the number of characters stored of Concepto and IdComercio.
const maxText = 120

// query holds the parsed fields of a phase A call.
type query struct {
	client        iddoc.ID
	amount        money.Amount
	merchantPhone string // E.164
}

// notification holds the parsed fields of a phase B call. The fields after networkCode are optional; they are "" or zero
// if they were not sent.
type notification struct {
	reference     string
	bank          string // four digits
	amount        money.Amount
	networkCode   string
	merchant      string
	merchantPhone string // E.164
	senderPhone   string // E.164
	concept       string
	instant       time.Time
	ignored       []string // optional fields that were sent and are invalid
}

// reader parses fields. It collects the error of the first invalid one, and the names of invalid optional fields.
type reader struct {
	fields  object
	zone    *time.Location
	err     error
	ignored []string
}

// refuse sets the error for a field, unless an earlier field has set it.
func (r *reader) refuse(field string) {
	if r.err == nil {
		r.err = ErrField.WithDetails(apperr.Detail{Location: field, Message: "is missing or invalid"})
	}
}

// requiredField returns the value of a required field.
func requiredField[T any](r *reader, field string, get func(string) (string, bool, error), parse func(string) (T, error)) (value T) {
	text, given, err := get(field)
	if err == nil && given {
		value, err = parse(text)
	}
	if err != nil || !given {
		r.refuse(field)
	}
	return value
}

// optionalField returns the value of an optional field. An invalid value counts as missing, because a payment must not
// be refused for it; the event keeps the body.
func optionalField[T any](r *reader, field string, get func(string) (string, bool, error), parse func(string) (T, error)) T {
	var none T
	text, given, err := get(field)
	if err == nil && (!given || text == "") {
		return none
	}
	var value T
	if err == nil {
		value, err = parse(text)
	}
	if err != nil {
		r.ignored = append(r.ignored, field)
		return none
	}
	return value
}

// readQuery parses the fields of phase A. Errors: ErrField, naming the first invalid field.
func readQuery(fields object) (*query, error) {
	r := &reader{fields: fields}
	q := &query{
		client:        requiredField(r, fieldClient, fields.digits, iddoc.Parse),
		amount:        requiredField(r, fieldAmount, fields.number, ParseAmount),
		merchantPhone: requiredField(r, fieldMerchantPhone, fields.digits, phone.Normalise),
	}
	return q, r.err
}

// readNotification parses the fields of phase B. Errors: ErrField, naming the first invalid field.
func readNotification(fields object, zone *time.Location) (*notification, error) {
	r := &reader{fields: fields, zone: zone}
	n := &notification{
		reference:     requiredField(r, fieldReference, fields.digits, ParseReference),
		bank:          requiredField(r, fieldBank, fields.digits, ParseBankCode),
		amount:        requiredField(r, fieldAmount, fields.number, ParseAmount),
		networkCode:   requiredField(r, fieldNetworkCode, fields.text, ParseNetworkCode),
		merchant:      optionalField(r, fieldMerchant, fields.number, cleanText),
		merchantPhone: optionalField(r, fieldMerchantPhone, fields.digits, phone.Normalise),
		senderPhone:   optionalField(r, fieldSenderPhone, fields.digits, phone.Normalise),
		concept:       optionalField(r, fieldConcept, fields.text, cleanText),
		instant: optionalField(r, fieldInstant, fields.digits, func(text string) (time.Time, error) {
			return ParseInstant(text, r.zone)
		}),
	}
	n.ignored = r.ignored
	return n, r.err
}

// cleanText returns a free text without control characters and cut to maxText characters. It returns no error.
func cleanText(text string) (string, error) {
	kept := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text))
	return strings.TrimSpace(string(kept[:min(len(kept), maxText)])), nil
}

// eventFields returns the fields of a query as its event stores them.
func (q *query) eventFields() map[string]string {
	return map[string]string{fieldClient: q.client.String(), fieldAmount: q.amount.Format(AmountDigits), fieldMerchantPhone: q.merchantPhone}
}

// eventFields returns the fields of a notification as its event stores them.
func (n *notification) eventFields() map[string]string {
	m := map[string]string{
		fieldReference: n.reference, fieldBank: n.bank, fieldAmount: n.amount.Format(AmountDigits), fieldNetworkCode: n.networkCode,
	}
	for field, value := range map[string]string{
		fieldMerchant: n.merchant, fieldMerchantPhone: n.merchantPhone, fieldSenderPhone: n.senderPhone, fieldConcept: n.concept,
	} {
		if value != "" {
			m[field] = value
		}
	}
	if len(n.ignored) > 0 {
		m[ignoredFields] = strings.Join(n.ignored, ", ")
	}
	if !n.instant.IsZero() {
		m[fieldInstant] = n.instant.UTC().Format(time.RFC3339)
	}
	return m
}
