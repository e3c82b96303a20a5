package kit

import (
	"errors"

	"github.com/google/uuid"
)

// EntitySuggestions is the address of the suggestions of entities, which the area of the organisation serves.
const EntitySuggestions = "/admin/organisation/suggest"

// entityLength bounds the typed text for an entity.
const entityLength = 160

// EntityField returns a field of a filter that finds an entity by its name or code.
func EntityField(name, label string) FilterField { return PickerField(name, label, EntitySuggestions) }

// EntityInput returns a field of a form that finds an entity by its name or code.
func EntityInput(name, label string) Input {
	return TextInput(name, label, entityLength).With("spellcheck=false").SuggestFrom(EntitySuggestions).
		WithRule("field.entity", false).At("entity_id", "ENTITY_NOT_FOUND")
}

// unknownError marks an error of a value of a filter. A list shows its text and no rows.
type unknownError struct{ error }

func (e *unknownError) Unwrap() error { return e.error }

// AskedEntity returns the entity that a parameter of the address names by its name or code; Nil without one. The error
// about an unknown entity is shown by a list.
func AskedEntity(r *Request, parameter string) (uuid.UUID, error) {
	typed := r.Query(parameter)
	if typed == "" {
		return uuid.Nil, nil
	}
	id, err := r.site.FindEntity(r.Context(), r.Caller, typed)
	if IsNotFound(err) {
		err = &unknownError{err}
	}
	return id, err
}

// rows returns the rows in a window of the list; none for a filter with an unknown value, which is said on the page.
func (l *List[R, P]) rows(r *Request, w Window) ([]R, int64, error) {
	rows, total, err := l.Rows(r, w)
	if unknown, ok := errors.AsType[*unknownError](err); ok {
		return nil, 0, r.Warned(unknown)
	}
	return rows, total, err
}
