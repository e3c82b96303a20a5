package agencies

import "strings"

// Parts of a request.
const (
	PartAgency = "agency"
	PartPoint  = "point"
	PartCredit = "credit"
	PartUser   = "user"
	PartDevice = "device"
)

// Refusal is the error of a part.
type Refusal struct {
	Part string
	Err  error
}

// RefusedError has the parts that failed, at least one.
type RefusedError []Refusal

// Error implements error.
func (e RefusedError) Error() string {
	texts := make([]string, len(e))
	for i, r := range e {
		texts[i] = r.Part + ": " + r.Err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors of the parts.
func (e RefusedError) Unwrap() []error {
	list := make([]error, len(e))
	for i, r := range e {
		list[i] = r.Err
	}
	return list
}

func refuse(part string, err error) error { return RefusedError{{Part: part, Err: err}} }
