package customers

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/phone"
	"banca/models"
)

// Bounds of the fields: a name in characters, an e-mail address in bytes.
const (
	maxName  = 100
	maxEmail = 254
)

// Person holds the fields of a customer. Phone is E.164 and IDDocument in normal form once it is stored; IDDocument
// and Email may be empty.
type Person struct {
	Name       string
	Phone      string
	IDDocument string
	Email      string
	OptedOut   *bool // in a change: wants no messages; nil leaves it as it is. Customer.OptOutAt is the stored value
}

// Document is the identity document as people write it; "" for none.
func (p *Person) Document() string { return iddoc.Written(p.IDDocument) }

// Customer is a customer that is neither merged nor deleted.
type Customer struct {
	ID       uuid.UUID
	EntityID uuid.UUID
	Person

	OptOutAt  time.Time // zero for a customer who takes messages
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ValidName reports whether a name without surrounding white space can be stored.
func ValidName(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= maxName && models.Storable(name)
}

// normalise brings the fields into the form in which they are stored. Errors: ErrInvalid with all invalid fields.
func (p *Person) normalise() error {
	var wrong []apperr.Detail
	refuse := func(location string, message apperr.Message) {
		wrong = append(wrong, apperr.Detail{Location: location, Message: message})
	}
	if p.Name = strings.TrimSpace(p.Name); !ValidName(p.Name) {
		refuse("name", "expected a name of at most 100 characters")
	}
	number, err := phone.Normalise(p.Phone)
	if p.Phone = number; err != nil {
		refuse("phone", phone.Expected)
	}
	if p.IDDocument != "" {
		id, err := iddoc.Parse(p.IDDocument)
		if p.IDDocument = id.String(); err != nil {
			refuse("id_document", iddoc.Expected)
		}
	}
	if p.Email = strings.TrimSpace(p.Email); p.Email != "" {
		address, err := mail.ParseAddress(p.Email)
		if err != nil || address.Address != p.Email || len(p.Email) > maxEmail || !models.Storable(p.Email) {
			refuse("email", "expected an e-mail address")
		}
	}
	if wrong != nil {
		return ErrInvalid.WithDetails(wrong...)
	}
	return nil
}

// changed returns the names of the fields that differ.
func (p *Person) changed(to *Person) []string {
	var names []string
	for _, f := range []struct{ name, before, after string }{
		{"name", p.Name, to.Name}, {"phone", p.Phone, to.Phone}, {"id_document", p.IDDocument, to.IDDocument}, {"email", p.Email, to.Email},
	} {
		if f.before != f.after {
			names = append(names, f.name)
		}
	}
	return names
}
