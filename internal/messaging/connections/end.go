package connections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/messaging/channel"
	"banca/internal/platform/caller"
)

// Logout unlinks the telephone at the provider. Errors: ErrNotFound, ErrNotLinked, ErrProvider.
func (s *Service) Logout(ctx context.Context, by caller.Caller, id uuid.UUID) (*Connection, error) {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	linker, ok := s.Drivers[r.Driver].(channel.Linker)
	if !ok {
		return nil, ErrNotLinked
	}
	c, err := s.channelOf(r)
	if err != nil {
		return nil, err
	}
	if err := s.call(ctx, c, linker.Logout); err != nil {
		return nil, err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error { return record(ctx, tx, activity.MessagingLogout, r.EntityID, id, nil) })
	if err != nil {
		return nil, err
	}
	if err := s.keep(ctx, r, &channel.Link{State: channel.Disconnected}); err != nil {
		return nil, err
	}
	return s.Get(ctx, by, id)
}

// Delete removes the account at the provider, then the connection with its secrets. The entity then inherits the
// connection of its nearest ancestor. With force, a provider that does not answer is ignored. Errors: ErrNotFound,
// ErrProvider.
func (s *Service) Delete(ctx context.Context, by caller.Caller, id uuid.UUID, force bool) error {
	r, err := s.find(ctx, by, id)
	if err != nil {
		return err
	}
	if linker, ok := s.Drivers[r.Driver].(channel.Linker); ok {
		c, err := s.channelOf(r)
		if err == nil {
			err = s.call(ctx, c, linker.Delete)
		}
		if err != nil && !force {
			return err
		}
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE messaging_connections SET deleted_at = now(), updated_at = now(), state = 'disconnected', secrets = '', qr = NULL, code = '', phone = ''
			WHERE id = $1 AND deleted_at IS NULL`, id)
		if err != nil {
			return fmt.Errorf("delete connection: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		return record(ctx, tx, activity.MessagingDisconnect, r.EntityID, id, map[string]any{
			"driver": r.Driver, "name": r.Name, "forced": force,
		})
	})
	if err != nil || s.Changed == nil {
		return err
	}
	return s.Changed(
		ctx, channel.Change{ChannelID: id, State: channel.Disconnected, EntityID: r.EntityID, Reason: string(channel.Deleted)},
	)
}

// call makes one call of a provider. Errors: ErrProvider with the provider's reason.
func (s *Service) call(
	ctx context.Context, c channel.Channel, method func(context.Context, channel.Channel) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := method(ctx, c); err != nil {
		return ErrProvider.WithCause(channel.AsError(err))
	}
	return nil
}
