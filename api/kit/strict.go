package kit

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/platform/apperr"
)

// ErrInvalid refuses a request whose parts are missing or wrong; its details name them.
var ErrInvalid = apperr.New(apperr.Invalid, "VALIDATION_FAILED", "fields of the request are missing or invalid")

// Strict decodes JSON into a body that has all of its keys; errors name their location.
func Strict(raw []byte, body any) error {
	if nul, ok := errors.AsType[*nulError](RefuseNUL(raw)); ok {
		return ErrInvalid.WithDetails(apperr.Detail{Location: nul.location, Message: NULMessage})
	}
	err := json.Unmarshal(raw, body, json.RejectUnknownMembers(true))
	semantic, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case err == nil:
		return nil
	case ok:
		message := apperr.Message("has an unexpected type")
		if errors.Is(err, json.ErrUnknownName) {
			message = "is unknown"
		}
		return ErrInvalid.WithDetails(apperr.Detail{Location: LocationOf(semantic.JSONPointer), Message: message})
	case errors.Is(err, jsontext.ErrDuplicateName):
		return apperr.New(apperr.Malformed, "MALFORMED_BODY", ErrDuplicateKey.Error())
	default:
		return apperr.Wrap(err, apperr.Malformed, "MALFORMED_BODY", malformed(nil))
	}
}
