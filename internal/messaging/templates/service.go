package templates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/recent"
	"banca/storage"
)

// Service reads, changes and fills in the texts of messages.
type Service struct {
	pg  *storage.Postgres
	org *org.Service

	used *recent.Answers[usedBy, []row] // texts that messages are composed of
}

// usedBy names the texts of an entity and of the entities above it.
type usedBy struct {
	path    string
	purpose Purpose
}

// maxUsed bounds the texts that are kept.
const maxUsed = 10_000

// New returns the service.
func New(pg *storage.Postgres, entities *org.Service) *Service {
	return &Service{pg: pg, org: entities, used: recent.New[usedBy, []row](maxUsed)}
}

// Key names a text of an entity.
type Key struct {
	EntityID uuid.UUID
	Purpose  Purpose
	Language Language
}

// Text is a text without its values.
type Text struct {
	Body     string
	Provider Provider
	From     *org.Source // the entity that has it; nil for the built-in one
}

// Template is the text that an entity uses.
type Template struct {
	Key
	Text

	Own       bool      // not inherited
	Inherited Text      // used without an own one
	Version   uuid.UUID // of an own one; changes with each change
	UpdatedAt time.Time // of an own one
}

// row is a stored text.
type row struct {
	Key
	Text

	version   uuid.UUID
	updatedAt time.Time
}

const columns = `entity_id, purpose, language, body, provider_name, provider_language, provider_values, provider_button, version, updated_at`

func scan(r pgx.CollectableRow) (row, error) {
	var t row
	err := r.Scan(&t.EntityID, &t.Purpose, &t.Language, &t.Body, &t.Provider.Name, &t.Provider.Language, &t.Provider.Values, &t.Provider.Button, &t.version, &t.updatedAt)
	return t, err
}

// stored returns the texts of the entities of a chain, of one purpose or of all.
func (s *Service) stored(ctx context.Context, chain org.Chain, p Purpose) ([]row, error) {
	ids := make(storage.UUIDs, len(chain))
	for i := range chain {
		ids[i] = chain[i].ID
	}
	rows, err := s.pg.Pool.Query(ctx, `SELECT `+columns+` FROM message_templates WHERE entity_id = ANY($1) AND ($2 = '' OR purpose = $2)`, ids, string(p))
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	return list, nil
}

// effective returns what the last entity of a chain uses of the stored texts.
func effective(chain org.Chain, list []row, p Purpose, l Language) *Template {
	self := chain.Self()
	t := &Template{Key: Key{EntityID: self.ID, Purpose: p, Language: l}, Inherited: Text{Body: Builtin(p, l)}}
	for i := range chain {
		at := slices.IndexFunc(list, func(r row) bool { return r.EntityID == chain[i].ID && r.Purpose == p && r.Language == l })
		if at < 0 {
			continue
		}
		found := list[at].Text
		found.From = &org.Source{ID: chain[i].ID, Code: chain[i].Code, Name: chain[i].Name, Type: chain[i].Type}
		if chain[i].ID != self.ID {
			t.Inherited = found
			continue
		}
		t.Text, t.Own, t.Version, t.UpdatedAt = found, true, list[at].version, list[at].updatedAt.UTC()
	}
	if !t.Own {
		t.Text = t.Inherited
	}
	return t
}

// List returns the texts of an entity in the caller's scope, of all purposes and languages. Errors: org.ErrEntityNotFound.
func (s *Service) List(ctx context.Context, by caller.Caller, entityID uuid.UUID) ([]Template, error) {
	chain, err := s.chain(ctx, by, entityID)
	if err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, chain, "")
	if err != nil {
		return nil, err
	}
	var list []Template
	for _, p := range Purposes() {
		for _, l := range Languages() {
			list = append(list, *effective(chain, stored, p, l))
		}
	}
	return list, nil
}

// Get returns a text of an entity in the caller's scope. Errors: ErrNotFound, org.ErrEntityNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, key Key) (*Template, error) {
	if !known(key.Purpose, key.Language) {
		return nil, ErrNotFound
	}
	chain, err := s.chain(ctx, by, key.EntityID)
	if err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, chain, key.Purpose)
	if err != nil {
		return nil, err
	}
	return effective(chain, stored, key.Purpose, key.Language), nil
}

// chain returns the chain of an entity in the caller's scope. Errors: org.ErrEntityNotFound.
func (s *Service) chain(ctx context.Context, by caller.Caller, entityID uuid.UUID) (org.Chain, error) {
	chain, err := s.org.Chain(ctx, entityID)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	return chain, nil
}
