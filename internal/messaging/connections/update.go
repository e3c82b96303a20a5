package connections

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/messaging/channel"
	"banca/internal/platform/caller"
)

// Settings are what can be changed of a connection. Empty fields stay as they are.
type Settings struct {
	Name       string
	PerMinute  int               // messages
	Parameters map[string]string // those to replace, such as a new key
}

// Update changes a connection and asks its provider for the state. The account stays as it is: where an address or an
// instance changes, connect again. A new address needs the secrets again. Errors: ErrNotFound, ErrParameters,
// ErrNoKeys, ErrUnreadable.
func (s *Service) Update(ctx context.Context, by caller.Caller, id uuid.UUID, to *Settings) (*Connection, error) {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	if !s.Keys.CanSeal() {
		return nil, ErrNoKeys
	}
	driver, ok := s.Drivers[r.Driver]
	if !ok {
		return nil, ErrUnknownDriver
	}
	before, err := s.channelOf(r)
	if err != nil {
		return nil, err
	}
	values := merged(driver.Parameters(), before.Parameters, filled(to.Parameters))
	w := &Wish{Name: cmp.Or(to.Name, r.Name), PerMinute: cmp.Or(to.PerMinute, r.PerMinute)}
	if err := w.check(driver.Parameters(), values); err != nil {
		return nil, err
	}
	if err := s.change(ctx, r, w, change{described: driver.Parameters(), before: before.Parameters, values: values}); err != nil {
		return nil, err
	}
	return s.Refresh(ctx, by, id)
}

// merged returns the stored parameters with the given ones in their place. Secrets belong to an address: another
// address needs new secrets, typed or generated.
func merged(described []channel.Parameter, before, given map[string]string) map[string]string {
	values := maps.Clone(before)
	moves := slices.ContainsFunc(described, func(p channel.Parameter) bool {
		return p.Kind == channel.KindURL && given[p.Name] != "" && given[p.Name] != before[p.Name]
	})
	for _, p := range described {
		if moves && p.Secret {
			delete(values, p.Name)
		}
	}
	maps.Copy(values, given)
	return completed(described, values)
}

// filled returns the parameters that are not empty, without blanks around them.
func filled(given map[string]string) map[string]string {
	values := make(map[string]string, len(given))
	for name, value := range given {
		if value = strings.TrimSpace(value); value != "" {
			values[name] = value
		}
	}
	return values
}

// change is the new and the stored parameters of a connection.
type change struct {
	described      []channel.Parameter
	before, values map[string]string
}

func (s *Service) change(ctx context.Context, r *row, w *Wish, c change) error {
	public, secret := split(c.described, c.values)
	sealed, err := s.seal(r.ID, secret)
	if err != nil {
		return err
	}
	changes, replaced := c.changes(r, w)
	return s.PG.InTx(ctx, func(tx pgx.Tx) error {
		// The second of two concurrent changes is refused, because it sealed outdated secrets.
		tag, err := tx.Exec(ctx, `UPDATE messaging_connections SET name = $3, per_minute = $4, parameters = $5, secrets = $6, updated_at = now()
			WHERE id = $1 AND secrets = $2 AND deleted_at IS NULL`, r.ID, r.secrets, w.Name, w.PerMinute, public, sealed)
		if err != nil {
			return fmt.Errorf("change connection: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.MessagingUpdate, EntityID: r.EntityID, Target: r.ID.String(), Changes: changes,
			Details: replaced,
		})
	})
}

// changes are the changes of the entry in the activity log, and its details: secrets that were replaced, by name only.
func (c *change) changes(r *row, w *Wish) (changes activity.Changes, details any) {
	changes.Set("name", r.Name, w.Name)
	changes.Set("per_minute", r.PerMinute, w.PerMinute)
	var replaced []string
	for _, p := range c.described {
		switch before, after := c.before[p.Name], c.values[p.Name]; {
		case !p.Secret:
			changes.Set(p.Name, before, after)
		case before != after:
			replaced = append(replaced, p.Name)
		}
	}
	if replaced == nil {
		return changes, nil
	}
	return changes, map[string]any{"replaced": replaced}
}
