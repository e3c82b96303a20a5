package activity

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Bounds of written texts, in characters.
const (
	maxName = 40
	maxNote = 1_000
)

// Record adds an entry of the context's actor in a transaction of its own, for actions outside the database.
func (s *Service) Record(ctx context.Context, e Entry) error {
	return s.pg.InTx(ctx, func(tx pgx.Tx) error { return RecordPgxTx(ctx, tx, e) })
}

// Manual is an entry that a person writes.
type Manual struct {
	EntityID uuid.UUID
	Module   string
	Action   string
	Target   string
	Note     string
}

// Write adds a person's entry. Whether the entity lies in the scope was checked by the caller. Errors: ErrInvalid.
func (s *Service) Write(ctx context.Context, by caller.Caller, m *Manual) (*Log, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var result *Log
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		e := Entry{
			Action: Action{m.Module, m.Action}, EntityID: m.EntityID, Target: m.Target, Details: note(m.Note),
			at: s.clock.Now(), manual: true,
		}
		id, err := recordTx(ctx, tx, e)
		if err != nil {
			return err
		}
		result, _, err = get(ctx, tx, by, id)
		return err
	})
	return result, err
}

func (m *Manual) check() error {
	var wrong []apperr.Detail
	for _, part := range []struct{ location, text string }{{"module", m.Module}, {"action", m.Action}} {
		if part.text == "" || len(part.text) > maxName || strings.Trim(part.text, "abcdefghijklmnopqrstuvwxyz0123456789_.") != "" {
			wrong = append(wrong, apperr.Detail{Location: part.location, Message: "expected lower case letters, digits, points and underscores"})
		}
	}
	if len(m.Target) > maxText {
		wrong = append(wrong, apperr.Detail{Location: "target", Message: "too long"})
	}
	wrong = append(wrong, checkNote(m.Note)...)
	if wrong != nil {
		return ErrInvalid.WithDetails(wrong...)
	}
	return nil
}

func checkNote(text string) []apperr.Detail {
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxNote {
		return []apperr.Detail{{Location: "note", Message: "expected 1 to 1000 characters"}}
	}
	return nil
}

// Correct gives an entry another note. The earlier note stays in the log. Errors: ErrNotFound, ErrRemoved, ErrInvalid.
func (s *Service) Correct(ctx context.Context, by caller.Caller, id uuid.UUID, text string) (*Log, error) {
	return s.amend(ctx, by, id, logsCorrect, text)
}

// Remove takes an entry out of the lists. It stays in the log, with the reason. Errors: as Correct.
func (s *Service) Remove(ctx context.Context, by caller.Caller, id uuid.UUID, reason string) (*Log, error) {
	return s.amend(ctx, by, id, logsRemove, reason)
}

func (s *Service) amend(ctx context.Context, by caller.Caller, id uuid.UUID, action Action, text string) (*Log, error) {
	if wrong := checkNote(text); wrong != nil {
		return nil, ErrInvalid.WithDetails(wrong...)
	}
	var result *Log
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := storage.LockLogEntry.TakeKeys(ctx, tx, storage.Key(id)); err != nil { // of two removals at once one finds the other
			return err
		}
		entry, _, err := get(ctx, tx, by, id)
		switch {
		case err != nil:
			return err
		case entry.Removed:
			return ErrRemoved
		case entry.Amends != uuid.Nil: // a correction or removal can be followed, not amended
			return ErrInvalid
		}
		e := Entry{
			Action: action, EntityID: entry.EntityID, Target: id.String(), Details: note(text), at: s.clock.Now(), amends: &id,
		}
		if err := RecordPgxTx(ctx, tx, e); err != nil {
			return err
		}
		result, _, err = get(ctx, tx, by, id)
		return err
	})
	return result, err
}

func note(text string) map[string]string { return map[string]string{"note": text} }
