package kit

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"banca/api/problem"
)

// NULMessage refuses U+0000, which Postgres cannot store. It begins the message of a nulError, because huma keeps the
// text of an error of a body and not the error.
const NULMessage = "expected text without the character U+0000"

// nulError refuses a body with U+0000 in one of its texts or keys.
type nulError struct{ location string }

func (e *nulError) Error() string { return NULMessage + " at " + e.location }

// RefuseNUL returns a nulError for the first text of a JSON document that holds U+0000. JSON can write it as an escape
// only, so a document without the escape costs one search.
func RefuseNUL(data []byte) error {
	if !bytes.Contains(data, []byte(`\u0000`)) {
		return nil
	}
	in := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the end, or no JSON, which its reader refuses
		}
		if token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
			return &nulError{location: strings.ReplaceAll(LocationOf(in.StackPointer()), "\x00", "")}
		}
	}
}

// nulProblem describes a refusal by refuseNUL from its message; nil for any other message.
func nulProblem(message string) *problem.Problem {
	location, ok := strings.CutPrefix(message, NULMessage+" at ")
	if !ok {
		return nil
	}
	p := problem.New(http.StatusUnprocessableEntity, "VALIDATION_FAILED", "fields of the request are missing or invalid")
	p.Errors = []problem.Detail{{Location: strings.ToValidUTF8(location[:min(len(location), MaxLocation)], ""), Message: NULMessage}}
	return p
}
