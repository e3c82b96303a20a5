package devices

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Binding is a connection that a session has now. Number is higher than the numbers of all earlier ones.
type Binding struct {
	SessionID    uuid.UUID
	ConnectionID uuid.UUID
	Number       int64
	DeviceID     uuid.UUID
	EntityID     uuid.UUID
	EntityPath   string
}

// groundSQL reads the states that a connection depends on: no row if the device is out of the caller's scope.
const groundSQL = `SELECT e.path, d.entity_id, d.status, coalesce(s.status, ''), coalesce(s.user_session_id = $5, false),
		EXISTS (SELECT 1 FROM user_sessions us JOIN users u ON u.id = us.user_id
			WHERE us.id = $5 AND us.ended_at IS NULL AND us.expires_at > $6 AND u.status = 'active')
	FROM devices d JOIN entities e ON e.id = d.entity_id LEFT JOIN device_sessions s ON s.device_id = d.id AND s.id = $2 AND s.user_id = $4
	WHERE d.id = $1 AND e.path LIKE $3`

// SessionRef names a device and a session of it.
type SessionRef struct{ DeviceID, SessionID uuid.UUID }

// MayBind checks whether a user may connect a device with a session. It changes nothing. It is one statement past
// gorm, because after a restart all devices connect at once. Errors: auth.ErrUnauthenticated, ErrDeviceNotFound,
// ErrSessionNotFound, ErrBlocked, ErrSuspended, ErrInactive, ErrSessionHeld, ErrSessionEnded.
func (s *Service) MayBind(ctx context.Context, by caller.Caller, ref SessionRef) (Binding, error) {
	b := Binding{SessionID: ref.SessionID, DeviceID: ref.DeviceID}
	var deviceStatus, status string
	var own, alive bool
	err := s.pool.QueryRow(ctx, groundSQL, ref.DeviceID, ref.SessionID, by.Scope.Pattern(), by.UserID, by.SessionID, s.now()).
		Scan(&b.EntityPath, &b.EntityID, &deviceStatus, &status, &own, &alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Binding{}, ErrDeviceNotFound
	case err != nil:
		return Binding{}, fmt.Errorf("read device session: %w", err)
	case !alive:
		return Binding{}, auth.ErrUnauthenticated
	case status == "":
		return Binding{}, ErrSessionNotFound
	}
	if err := usable(deviceStatus); err != nil {
		return Binding{}, err
	}
	switch {
	case status == models.StatusInactive, !own: // a session does not outlive the login it was made in
		return Binding{}, ErrSessionEnded
	case status != models.StatusActive:
		return Binding{}, ErrSessionHeld
	}
	return b, nil
}

const bindSQL = `UPDATE device_sessions SET connection_id = $2, connection_no = connection_no + 1, connected_at = $3, last_seen_at = $3, online_until = $4
	WHERE id = $1 AND status = 'active' RETURNING connection_no`

// Bind gives a session, which MayBind allowed, a new connection in place of an older one. Errors: ErrSessionEnded.
func (s *Service) Bind(ctx context.Context, b *Binding) error {
	now := s.now()
	b.ConnectionID = uuid.Must(uuid.NewV7())
	err := s.pool.QueryRow(ctx, bindSQL, b.SessionID, b.ConnectionID, now, now.Add(onlineAfterTouch)).Scan(&b.Number)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrSessionEnded
	}
	if err != nil {
		return fmt.Errorf("bind connection: %w", err)
	}
	return nil
}

// Live is a connection that a process holds.
type Live struct {
	SessionID     uuid.UUID
	Number        int64
	UserSessionID uuid.UUID
	Path          string
}

// Changed is a live connection that must end for a reason or, if Reason is empty, whose entity has another path.
type Changed struct {
	SessionID uuid.UUID
	Number    int64
	Reason    string
	Path      string
}

// ReasonReplaced is why a connection is gone whose session has a newer one.
const ReasonReplaced = "connection_replaced"

// checkSQL returns the connections whose state differs from that at their binding.
const checkSQL = `SELECT id, no, path, reason FROM (
	SELECT l.id, l.no, coalesce(e.path, '') AS path, CASE
		WHEN s.id IS NULL THEN 'unknown'
		WHEN us.id IS NULL OR us.ended_at IS NOT NULL OR us.expires_at <= $5 THEN 'user_session_over'
		WHEN u.status <> 'active' THEN 'user_inactive'
		WHEN d.status <> 'active' THEN 'device_' || d.status
		WHEN s.status <> 'active' THEN coalesce(s.end_reason, s.status)
		WHEN NOT starts_with(e.path, ue.path) THEN 'out_of_scope'
		WHEN s.connection_no <> l.no THEN 'connection_replaced'
		ELSE '' END AS reason, l.path AS was
	FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[]) AS l(id, no, user_session, path)
	LEFT JOIN device_sessions s ON s.id = l.id LEFT JOIN devices d ON d.id = s.device_id LEFT JOIN entities e ON e.id = d.entity_id
	LEFT JOIN user_sessions us ON us.id = l.user_session LEFT JOIN users u ON u.id = us.user_id LEFT JOIN entities ue ON ue.id = u.entity_id
) AS checked WHERE reason <> '' OR path <> was`

// Check returns, by one query, which of a process's connections must end or have moved.
func (s *Service) Check(ctx context.Context, live []Live) ([]Changed, error) {
	if len(live) == 0 {
		return nil, nil
	}
	sessions, numbers := columnsOf(live)
	users, paths := make(storage.UUIDs, len(live)), make(storage.Texts, len(live))
	for i := range live {
		users[i], paths[i] = live[i].UserSessionID, live[i].Path
	}
	return storage.Collect(ctx, s.pool, "check connections", func(row pgx.CollectableRow) (c Changed, err error) {
		err = row.Scan(&c.SessionID, &c.Number, &c.Path, &c.Reason)
		return c, err
	}, checkSQL, sessions, numbers, users, paths, s.now())
}

const touchSQL = `UPDATE device_sessions s SET last_seen_at = $3, online_until = $4
	FROM unnest($1::uuid[], $2::bigint[]) AS l(id, no) WHERE s.id = l.id AND s.connection_no = l.no AND s.status = 'active'`

const releaseSQL = `UPDATE device_sessions s SET connection_id = NULL, last_seen_at = $3, online_until = least(online_until, $3)
	FROM unnest($1::uuid[], $2::bigint[]) AS l(id, no) WHERE s.id = l.id AND s.connection_no = l.no`

// Touch notes that connections were alive just now, all in one statement.
func (s *Service) Touch(ctx context.Context, live []Live) error {
	if len(live) == 0 {
		return nil
	}
	sessions, numbers := columnsOf(live)
	now := s.now()
	if _, err := s.pool.Exec(ctx, touchSQL, sessions, numbers, now, now.Add(onlineAfterTouch)); err != nil {
		return fmt.Errorf("touch connections: %w", err)
	}
	return nil
}

// Release marks connections as closed if they are still the current ones of their sessions.
func (s *Service) Release(ctx context.Context, live []Live) error {
	if len(live) == 0 {
		return nil
	}
	sessions, numbers := columnsOf(live)
	if _, err := s.pool.Exec(ctx, releaseSQL, sessions, numbers, s.now()); err != nil {
		return fmt.Errorf("release connections: %w", err)
	}
	return nil
}

func columnsOf(live []Live) (storage.UUIDs, storage.Bigints) {
	sessions, numbers := make(storage.UUIDs, len(live)), make(storage.Bigints, len(live))
	for i := range live {
		sessions[i], numbers[i] = live[i].SessionID, live[i].Number
	}
	return sessions, numbers
}
