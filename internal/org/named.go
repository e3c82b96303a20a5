package org

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
)

// suggested bounds the entities that Suggest returns.
const suggested = 20

// TextOf returns the text by which people pick an entity, which [Service.Named] reads: "La Fortuna (AG-1)".
func TextOf(name, code string) string { return name + " (" + code + ")" }

// Suggest returns the texts of the first entities in the caller's scope whose name or code contains the typed text,
// by name.
func (s *Service) Suggest(ctx context.Context, by caller.Caller, typed string) ([]string, error) {
	found, _, err := s.Entities(ctx, by, &EntityFilter{Text: typed, Sort: "name", Limit: suggested})
	texts := make([]string, len(found))
	for i := range found {
		texts[i] = TextOf(found[i].Name, found[i].Code)
	}
	return texts, err
}

// Named finds the entity in the caller's scope that a person named: by its code, by its name with the code, or by a
// part of the name that no other entity has. Errors: ErrEntityNotFound.
func (s *Service) Named(ctx context.Context, by caller.Caller, typed string) (uuid.UUID, error) {
	typed = strings.TrimSpace(typed)
	code := typed
	if at := strings.LastIndexByte(typed, '('); at >= 0 && strings.HasSuffix(typed, ")") {
		code = strings.TrimSpace(typed[at+1 : len(typed)-1])
	}
	for _, spelling := range []string{code, strings.ToUpper(code)} {
		if id, err := s.ByCode(ctx, by, spelling); !errors.Is(err, ErrEntityNotFound) {
			return id, err
		}
	}
	if typed == "" {
		return uuid.Nil, ErrEntityNotFound
	}
	found, total, err := s.Entities(ctx, by, &EntityFilter{Text: typed, Limit: 1})
	switch {
	case err != nil:
		return uuid.Nil, err
	case total != 1:
		return uuid.Nil, ErrEntityNotFound
	}
	return found[0].ID, nil
}
