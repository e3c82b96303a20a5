package bank

import (
	"strings"
	"time"
	"unicode"

	"banca/internal/bank/bankfield"
	"banca/internal/platform/apperr"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

// ignoredFields is the key, in an event's fields, of the list of optional fields that are invalid.
const ignoredFields = "ignored"

// maxText is the number of characters stored of a text.
const maxText = 120

// values holds the parsed fields of a call. A field that was not sent is "" or zero.
type values struct {
	client        iddoc.ID
	amount        money.Amount
	merchantPhone string // E.164
	senderPhone   string // E.164
	reference     string
	bank          string // four digits
	networkCode   string
	instant       time.Time

	stored  map[string]string // by the name of the field, as the event stores them
	ignored []string          // optional fields that were sent and are invalid
}

// Use returns the presence of a field in a call of the phase.
func (p Phase) Use(f *bankfield.Field) bankfield.Use {
	if p == PhaseQuery {
		return f.Query
	}
	return f.Notification
}

// readFields parses the fields of a call. An invalid optional value counts as missing, because a payment must not be
// refused for it; the event keeps the body. Errors: ErrField, naming the first invalid field.
func readFields(phase Phase, fields object, zone *time.Location) (*values, error) {
	v := &values{stored: map[string]string{}}
	all := bankfield.All()
	for i := range all {
		f := &all[i]
		use := phase.Use(f)
		if use == bankfield.Absent {
			continue
		}
		text, given, err := fields.value(f)
		if use == bankfield.Optional && err == nil && text == "" {
			continue
		}
		var stored string
		if err == nil && given {
			stored, err = v.parse(f.Name, text, zone)
		}
		switch {
		case use == bankfield.Required && (err != nil || !given):
			return nil, ErrField.WithDetails(apperr.Detail{Location: f.Name, Message: "is missing or invalid"})
		case err != nil:
			v.ignored = append(v.ignored, f.Name)
		case stored != "":
			v.stored[f.Name] = stored
		}
	}
	if len(v.ignored) > 0 {
		v.stored[ignoredFields] = strings.Join(v.ignored, ", ")
	}
	return v, nil
}

// parse parses the value of a field and returns it as the event stores it. A field without a rule is text.
func (v *values) parse(field, text string, zone *time.Location) (stored string, err error) {
	switch field {
	case bankfield.Client:
		v.client, err = iddoc.Parse(text)
		return v.client.String(), err
	case bankfield.Amount:
		v.amount, err = ParseAmount(text)
		return v.amount.Format(AmountDigits), err
	case bankfield.MerchantPhone:
		v.merchantPhone, err = phone.Normalise(text)
		return v.merchantPhone, err
	case bankfield.SenderPhone:
		v.senderPhone, err = phone.Normalise(text)
		return v.senderPhone, err
	case bankfield.Reference:
		v.reference, err = ParseReference(text)
		return v.reference, err
	case bankfield.Bank:
		v.bank, err = ParseBankCode(text)
		return v.bank, err
	case bankfield.NetworkCode:
		v.networkCode, err = ParseNetworkCode(text)
		return v.networkCode, err
	case bankfield.Instant:
		v.instant, err = ParseInstant(text, zone)
		return v.instant.UTC().Format(time.RFC3339), err
	default:
		return cleanText(text), nil
	}
}

// cleanText returns a free text without control characters and cut to maxText characters.
func cleanText(text string) string {
	kept := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text))
	return strings.TrimSpace(string(kept[:min(len(kept), maxText)]))
}
