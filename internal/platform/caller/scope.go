package caller

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// separator stands before, between and after the ids of a path.
const separator = "/"

// Scope is a part of the organisation: an entity and everything below it. The zero Scope contains no entity.
type Scope struct{ path string }

// ParseScope returns the scope of the entity with a path: the ids from the operator's entity to the entity itself, as
// in "/<id>/<id>/". It returns an error for any other text, the empty one included.
func ParseScope(path string) (Scope, error) {
	ids := strings.Split(path, separator)
	if len(ids) < 3 || ids[0] != "" || ids[len(ids)-1] != "" {
		return Scope{}, fmt.Errorf("caller: malformed path %q of an entity", path)
	}
	for _, text := range ids[1 : len(ids)-1] {
		if id, err := uuid.Parse(text); err != nil || id.String() != text {
			return Scope{}, fmt.Errorf("caller: malformed id %q in the path %q of an entity", text, path)
		}
	}
	return Scope{path: path}, nil
}

// Path returns the path of the entity, or "" for the zero Scope.
func (s Scope) Path() string { return s.path }

// IsZero reports whether the scope contains no entity.
func (s Scope) IsZero() bool { return s.path == "" }

// IsOperator reports whether the scope is the whole organisation: the entity has no parent.
func (s Scope) IsOperator() bool { return strings.Count(s.path, separator) == 2 }

// Contains reports whether the entity with a path is in the scope.
func (s Scope) Contains(path string) bool { return !s.IsZero() && strings.HasPrefix(path, s.path) }

// Pattern returns the LIKE pattern of the paths in the scope. The pattern of the zero Scope is "", which no path of an
// entity matches.
func (s Scope) Pattern() string {
	if s.IsZero() {
		return ""
	}
	return s.path + "%"
}
