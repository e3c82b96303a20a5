package templates

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Draft is a text to store. Version identifies the own text that it replaces; zero if the text is inherited.
type Draft struct {
	Body     string
	Provider Provider
	Version  uuid.UUID
}

// normalise brings a text into the form in which it is stored. Errors: ErrInvalid with all problems.
func (d *Draft) normalise(p Purpose, l Language) (parsed, error) {
	d.Body = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(d.Body))
	d.Provider.Name, d.Provider.Language = strings.TrimSpace(d.Provider.Name), strings.TrimSpace(d.Provider.Language)
	t, wrong := check(p, l, d.Body)
	if wrong = append(wrong, d.Provider.check(p)...); len(wrong) > 0 {
		return parsed{}, ErrInvalid.WithDetails(wrong...)
	}
	return t, nil
}

// Put stores a text of an entity in the caller's scope. Errors: ErrInvalid with all problems, ErrChanged, and the
// errors of Get.
func (s *Service) Put(ctx context.Context, by caller.Caller, key Key, d *Draft) (*Template, error) {
	before, err := s.Get(ctx, by, key)
	if err != nil {
		return nil, err
	}
	if _, err := d.normalise(key.Purpose, key.Language); err != nil {
		return nil, err
	}
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error {
		if err := putTx(ctx, tx, by, key, d); err != nil {
			return err
		}
		after := Text{Body: d.Body, Provider: d.Provider}
		return record(ctx, tx, activity.MessagingTemplate, key, &before.Text, &after)
	})
	if err != nil {
		return nil, err
	}
	s.used.Forget()
	return s.Get(ctx, by, key)
}

// putTx writes the row, unless it is of another version than the draft's.
func putTx(ctx context.Context, tx pgx.Tx, by caller.Caller, key Key, d *Draft) error {
	const insert = `INSERT INTO message_templates (entity_id, purpose, language, body, provider_name, provider_language, provider_values, provider_button, version, updated_at, updated_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), $10) ON CONFLICT DO NOTHING`
	const update = `UPDATE message_templates SET body = $4, provider_name = $5, provider_language = $6, provider_values = $7, provider_button = $8, version = $9,
		updated_at = now(), updated_by = $10 WHERE entity_id = $1 AND purpose = $2 AND language = $3 AND version = $11`
	args := []any{
		key.EntityID, key.Purpose, key.Language, d.Body, d.Provider.Name, d.Provider.Language,
		append(storage.Texts{}, d.Provider.Values...), d.Provider.Button,
		uuid.Must(uuid.NewV7()), by.UserID,
	}
	statement := insert
	if d.Version != uuid.Nil {
		statement, args = update, append(args, d.Version)
	}
	tag, err := tx.Exec(ctx, statement, args...)
	if err != nil {
		return fmt.Errorf("store template: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrChanged
	}
	return nil
}

// Delete deletes the own text of an entity in the caller's scope, which inherits from then on, and returns what it
// inherits. Errors: ErrNotOwn, ErrChanged, and the errors of Get.
func (s *Service) Delete(ctx context.Context, by caller.Caller, key Key, version uuid.UUID) (*Template, error) {
	before, err := s.Get(ctx, by, key)
	if err != nil {
		return nil, err
	}
	if !before.Own {
		return nil, ErrNotOwn
	}
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM message_templates WHERE entity_id = $1 AND purpose = $2 AND language = $3 AND version = $4`,
			key.EntityID, key.Purpose, key.Language, version)
		if err != nil {
			return fmt.Errorf("delete template: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrChanged
		}
		return record(ctx, tx, activity.MessagingTemplateInherit, key, &before.Text, &before.Inherited)
	})
	if err != nil {
		return nil, err
	}
	s.used.Forget()
	return s.Get(ctx, by, key)
}

// record adds an entry with the difference to the activity log.
func record(ctx context.Context, tx pgx.Tx, action activity.Action, key Key, before, after *Text) error {
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: key.EntityID, Target: string(key.Purpose) + "/" + string(key.Language),
		Details: map[string]any{"purpose": key.Purpose, "language": key.Language},
		Changes: activity.Between(before.fields(), after.fields()),
	})
}

func (t *Text) fields() map[string]any {
	return map[string]any{
		"text": t.Body, "provider_name": t.Provider.Name, "provider_language": t.Provider.Language,
		"provider_values": strings.Join(t.Provider.Values, ", "), "provider_button": t.Provider.Button,
	}
}

// Preview is a message with the values of samples.
type Preview struct {
	Message  string
	Longest  int // characters of the longest message
	Limit    int // that can be sent
	Values   []string
	Button   string
	Problems []apperr.Detail // the message is empty then

}

// Preview fills a text in without storing it, and returns the problems that Put would refuse. Errors: errors of Get.
func (s *Service) Preview(ctx context.Context, by caller.Caller, key Key, d *Draft) (*Preview, error) {
	if !known(key.Purpose, key.Language) {
		return nil, ErrNotFound
	}
	chain, err := s.chain(ctx, by, key.EntityID)
	if err != nil {
		return nil, err
	}
	p := &Preview{Limit: key.Purpose.Limit()}
	t, err := d.normalise(key.Purpose, key.Language)
	if err != nil {
		p.Problems = apperr.From(err).Details
		return p, nil
	}
	values := samples(key.Purpose, key.Language)
	values.addCommon(chain)
	filled := fillIn(&t, key.Purpose, &d.Provider, values)
	p.Message, p.Longest = filled.Body, t.longest()
	if filled.Template != nil {
		p.Values, p.Button = filled.Template.Body, filled.Template.Button
	}
	return p, nil
}

func samples(p Purpose, l Language) Values {
	v := Values{}
	fields := p.Fields()
	for i := range fields {
		v[fields[i].Key] = fields[i].Sample(l)
	}
	return v
}
