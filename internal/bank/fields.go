package bank

import (
	"strings"
	"time"
	"unicode"

	"banca/internal/apperr"
	"banca/internal/iddoc"
	"banca/internal/money"
	"banca/internal/phone"
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

// ignoredFields lists, in an event's fields, the optional ones that could not be read.
const ignoredFields = "ignored"

// maxText bounds Concepto and IdComercio, in characters kept.
const maxText = 120

// query is a Phase A call in normal form.
type query struct {
	client        iddoc.ID
	amount        money.Amount
	merchantPhone string // E.164
}

// notification is a Phase B call in normal form. The last five are "" or zero when they were not sent.
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
	ignored       []string // optional fields that were sent and cannot be read
}

// reader collects the first refusal over several fields, and the optional ones that cannot be read.
type reader struct {
	fields  object
	zone    *time.Location
	err     error
	ignored []string
}

// refuse keeps the first field that is missing or wrong.
func (r *reader) refuse(field string) {
	if r.err == nil {
		r.err = ErrField.WithDetails(apperr.Detail{Location: field, Message: "is missing or invalid"})
	}
}

// take reads a field that is required and passes it through parse.
func take[T any](r *reader, field string, get func(string) (string, bool, error), parse func(string) (T, error)) (value T) {
	text, given, err := get(field)
	if err == nil && given {
		value, err = parse(text)
	}
	if err != nil || !given {
		r.refuse(field)
	}
	return value
}

// takeOptional reads an optional field. An unreadable one counts as missing: a payment is never refused for it, and
// the event keeps the body.
func takeOptional[T any](r *reader, field string, get func(string) (string, bool, error), parse func(string) (T, error)) T {
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

// readQuery reads the fields of Phase A. Errors: ErrField, naming the first that is wrong.
func readQuery(fields object) (*query, error) {
	r := &reader{fields: fields}
	q := &query{
		client:        take(r, fieldClient, fields.digits, iddoc.Parse),
		amount:        take(r, fieldAmount, fields.number, ParseAmount),
		merchantPhone: take(r, fieldMerchantPhone, fields.digits, phone.Normalise),
	}
	return q, r.err
}

// readNotification reads the fields of Phase B. Errors: ErrField, naming the first that is wrong.
func readNotification(fields object, zone *time.Location) (*notification, error) {
	r := &reader{fields: fields, zone: zone}
	n := &notification{
		reference:     take(r, fieldReference, fields.digits, ParseReference),
		bank:          take(r, fieldBank, fields.digits, ParseBankCode),
		amount:        take(r, fieldAmount, fields.number, ParseAmount),
		networkCode:   take(r, fieldNetworkCode, fields.text, ParseNetworkCode),
		merchant:      takeOptional(r, fieldMerchant, fields.number, cleanText),
		merchantPhone: takeOptional(r, fieldMerchantPhone, fields.digits, phone.Normalise),
		senderPhone:   takeOptional(r, fieldSenderPhone, fields.digits, phone.Normalise),
		concept:       takeOptional(r, fieldConcept, fields.text, cleanText),
		instant: takeOptional(r, fieldInstant, fields.digits, func(text string) (time.Time, error) {
			return ParseInstant(text, r.zone)
		}),
	}
	n.ignored = r.ignored
	return n, r.err
}

// cleanText keeps what can be shown and stored of a free text; it never refuses.
func cleanText(text string) (string, error) {
	kept := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text))
	return strings.TrimSpace(string(kept[:min(len(kept), maxText)])), nil
}

// shown is the normal form of a query as its event keeps it.
func (q *query) shown() map[string]string {
	return map[string]string{fieldClient: q.client.String(), fieldAmount: q.amount.Format(AmountDigits), fieldMerchantPhone: q.merchantPhone}
}

// shown is the normal form of a notification as its event keeps it.
func (n *notification) shown() map[string]string {
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
