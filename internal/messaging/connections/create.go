package connections

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/messaging/channel"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Create stores a connection and asks its provider to link the account. A provider that fails leaves a connection that is disconnected, with the
// reason. Errors: ErrUnknownDriver, ErrParameters with every problem, ErrNoKeys, ErrExists, org.ErrEntityNotFound.
func (s *Service) Create(ctx context.Context, by caller.Caller, w *Wish) (*Connection, error) {
	driver, ok := s.Drivers[w.Driver]
	if !ok {
		return nil, ErrUnknownDriver
	}
	if _, err := s.Org.Entity(ctx, by, w.EntityID); err != nil {
		return nil, err
	}
	if !s.Keys.CanSeal() {
		return nil, ErrNoKeys
	}
	values := completed(driver.Parameters(), w.Parameters)
	if err := w.check(driver.Parameters(), values); err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	public, secret := split(driver.Parameters(), values)
	sealed, err := s.seal(id, secret)
	if err != nil {
		return nil, err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO messaging_connections (id, entity_id, name, driver, parameters, secrets, per_minute, checked_at, state, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, now(), 'disconnected', now(), now())`,
			id, w.EntityID, cmp.Or(w.Name, w.Driver), w.Driver, public, sealed, cmp.Or(w.PerMinute, defaultPerMinute))
		if storage.Violates(err, "messaging_connections_entity") {
			return ErrExists
		}
		if err != nil {
			return fmt.Errorf("create connection: %w", err)
		}
		return record(ctx, tx, activity.MessagingConnect, w.EntityID, id, map[string]any{"driver": w.Driver, "name": w.Name})
	})
	if err != nil {
		return nil, err
	}
	return s.Connect(ctx, by, id)
}

// completed returns the values without blanks around them, with a random text for each missing parameter that is generated.
func completed(described []channel.Parameter, given map[string]string) map[string]string {
	values := filled(given)
	for _, p := range described {
		if p.Generated && values[p.Name] == "" {
			values[p.Name] = rand.Text() + rand.Text()
		}
	}
	return values
}

// check refuses a wish with every problem.
func (w *Wish) check(described []channel.Parameter, values map[string]string) error {
	var wrong []apperr.Detail
	for _, p := range channel.Validate(described, values) {
		wrong = append(wrong, apperr.Detail{Location: "parameters." + p.Parameter, Message: apperr.Message(p.Reason)})
	}
	if w.Name = strings.TrimSpace(w.Name); utf8.RuneCountInString(w.Name) > maxName || !models.Storable(w.Name) {
		wrong = append(wrong, apperr.Detail{Location: "name", Message: "expected a name of at most 100 characters"})
	}
	if w.PerMinute < 0 || w.PerMinute > MaxPerMinute {
		wrong = append(wrong, apperr.Detail{Location: "per_minute", Message: "must be between 1 and 6000"})
	}
	if wrong != nil {
		return ErrParameters.WithDetails(wrong...)
	}
	return nil
}

// Connect asks the provider to link the account, again if need be, and stores what it answers. Errors: ErrNotFound.
func (s *Service) Connect(ctx context.Context, by caller.Caller, id uuid.UUID) (*Connection, error) {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if err := s.ask(ctx, r, question{connect: true, wait: callTimeout}); err != nil {
		return nil, err
	}
	return s.goOn(ctx, by, r)
}

// Refresh asks the provider for the state and stores it. Errors: ErrNotFound.
func (s *Service) Refresh(ctx context.Context, by caller.Caller, id uuid.UUID) (*Connection, error) {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if err := s.ask(ctx, r, question{wait: callTimeout}); err != nil {
		return nil, err
	}
	return s.goOn(ctx, by, r)
}

// goOn returns a connection as it is after the provider was asked. If it was open before and is, a pause of its channel ends: a person who asks
// wants the messages to be tried now.
func (s *Service) goOn(ctx context.Context, by caller.Caller, before *row) (*Connection, error) {
	c, err := s.Get(ctx, by, before.ID)
	if err != nil || c.State != channel.Open || before.State != channel.Open || s.Changed == nil {
		return c, err
	}
	return c, s.Changed(ctx, channel.Change{ChannelID: c.ID, State: channel.Open, EntityID: c.EntityID})
}

// ask calls the provider and stores its answer. A provider that fails says nothing new of the account but its reason.
func (s *Service) ask(ctx context.Context, r *row, q question) error {
	c, err := s.channelOf(r)
	if err != nil {
		return err
	}
	link, err := s.link(ctx, c, q)
	if failure, ok := errors.AsType[*channel.Error](err); ok {
		link = channel.Link{State: cmp.Or(failure.State, r.State), Reason: failure.Text}
	} else if err != nil {
		link = channel.Link{State: r.State, Reason: channel.AsError(err).Text}
	}
	return s.keep(ctx, r, &link)
}

// question is what a provider is asked for.
type question struct {
	connect bool // link the account
	wait    time.Duration
}

func (s *Service) link(ctx context.Context, c channel.Channel, q question) (channel.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, q.wait)
	defer cancel()
	driver, ok := s.Drivers[c.Driver]
	if !ok {
		return channel.Link{}, &channel.Error{Kind: channel.ChannelDown, Text: string(channel.NoDriver)}
	}
	if linker, ok := driver.(channel.Linker); ok && q.connect {
		return linker.Connect(ctx, c, s.WebhookURL+c.ID.String())
	}
	return driver.State(ctx, c)
}

// keep stores what a provider said and tells of a state that changed.
func (s *Service) keep(ctx context.Context, r *row, l *channel.Link) error {
	changed, err := s.store(ctx, r.ID, l)
	if err != nil {
		return err
	}
	if changed && s.Changed != nil {
		return s.Changed(ctx, channel.Change{ChannelID: r.ID, State: l.State, EntityID: r.EntityID, Reason: l.Reason})
	}
	return nil
}

func record(
	ctx context.Context, tx pgx.Tx, action activity.Action, entity, target uuid.UUID, details map[string]any,
) error {
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: entity, Target: target.String(), Details: details,
	})
}
