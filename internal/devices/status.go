package devices

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/models"
	"banca/storage"
)

// Why a device session ended or was suspended, as its row and session.terminated say.
const (
	endReplaced   = "replaced"
	endBlocked    = "device_blocked"
	endRetired    = "device_inactive"
	endHeld       = "device_suspended"
	endByHand     = "ended"
	endSuspended  = "suspended"
	endUserOver   = "user_session_over"
	expireOrphans = 5_000
)

// statusesAfter returns the statuses that may follow one; see the table in the package's documentation.
func statusesAfter(status string) []string {
	switch status {
	case models.StatusActive:
		return []string{models.StatusSuspended, models.StatusBlocked, models.StatusInactive}
	case models.StatusSuspended:
		return []string{models.StatusActive, models.StatusBlocked, models.StatusInactive}
	case models.StatusBlocked:
		return []string{models.StatusActive, models.StatusInactive}
	case models.StatusInactive:
		return []string{models.StatusActive, models.StatusBlocked}
	default:
		return nil
	}
}

// Statuses returns the statuses that may follow one, for forms.
func Statuses(from string) []string { return statusesAfter(from) }

// SetStatus moves a device to a status, and its session with it. Moving it to the one it has does nothing.
// Errors: ErrDeviceNotFound, ErrStatusMove.
func (s *Service) SetStatus(ctx context.Context, by caller.Caller, id uuid.UUID, status string) (changed Device, err error) {
	now := s.now()
	var ended []uuid.UUID
	var reason string
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := lockDevice(tx, by, id)
		if err != nil {
			return err
		}
		before := row.Status
		if before == status {
			changed, err = answerOf(tx, row, now)
			return err
		}
		if !slices.Contains(statusesAfter(before), status) {
			return ErrStatusMove
		}
		row.Status, row.StatusAt, row.UpdatedAt = status, now, now
		if err := tx.Model(row).Select("Status", "StatusAt", "UpdatedAt").UpdateColumns(row).Error; err != nil {
			return fmt.Errorf("set device status: %w", err)
		}
		if ended, reason, err = followDevice(tx, id, status, now); err != nil {
			return err
		}
		err = note(tx, &models.DeviceEvent{DeviceID: id, Kind: models.DeviceStatus, UserID: &by.UserID, Note: before + " → " + status, At: now})
		if err != nil {
			return err
		}
		if changed, err = answerOf(tx, row, now); err != nil {
			return err
		}
		changes := activity.Changed("status", before, status)
		return record(ctx, tx, activity.DevicesStatus, row, map[string]any{"sessions": ended}, changes)
	})
	if err != nil {
		return Device{}, err
	}
	s.terminated(ctx, ended, reason, now)
	return changed, nil
}

// followDevice changes a device's session with the device, and returns the sessions whose connections must end, and
// the reason.
func followDevice(tx *gorm.DB, device uuid.UUID, status string, now time.Time) (lost []uuid.UUID, reason string, err error) {
	switch status {
	case models.StatusSuspended:
		lost, err = moveSessions(tx.Where("device_id = ? AND status = 'active'", device),
			map[string]any{"status": models.StatusSuspended, "held_by_device": true, "online_until": now})
		return lost, endHeld, err
	case models.StatusBlocked:
		lost, err = endSessions(tx, device, endBlocked, now)
		return lost, endBlocked, err
	case models.StatusInactive:
		lost, err = endSessions(tx, device, endRetired, now)
		return lost, endRetired, err
	default: // active: the session that was suspended with the device is active again
		_, err = moveSessions(tx.Where("device_id = ? AND held_by_device", device), activeColumns())
		return nil, "", err
	}
}

// endSessions ends the sessions of a device that are not over.
func endSessions(tx *gorm.DB, device uuid.UUID, reason string, now time.Time) ([]uuid.UUID, error) {
	return moveSessions(tx.Where("device_id = ? AND status <> 'inactive'", device), endColumns(reason, now))
}

// The columns of a session that ends, and of one that is active again.
func endColumns(reason string, now time.Time) map[string]any {
	return map[string]any{"status": models.StatusInactive, "held_by_device": false, "ended_at": now, "end_reason": reason, "online_until": now}
}

func activeColumns() map[string]any {
	return map[string]any{"status": models.StatusActive, "held_by_device": false}
}

// moveSessions sets columns of the selected sessions and returns their ids.
func moveSessions(selected *gorm.DB, columns map[string]any) ([]uuid.UUID, error) {
	var rows []models.DeviceSession
	err := selected.Model(&rows).Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).UpdateColumns(columns).Error
	if err != nil {
		return nil, fmt.Errorf("move device sessions: %w", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	return ids, nil
}

// Rename gives a device another name. Errors: ErrDeviceNotFound, ErrInvalidDevice.
func (s *Service) Rename(ctx context.Context, by caller.Caller, id uuid.UUID, name string) (renamed Device, err error) {
	if wrong := checkName(name); wrong != nil {
		return Device{}, ErrInvalidDevice.WithDetails(*wrong)
	}
	name = strings.TrimSpace(name)
	now := s.now()
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := lockDevice(tx, by, id)
		if err != nil {
			return err
		}
		before := row.Name
		if before == name {
			renamed, err = answerOf(tx, row, now)
			return err
		}
		row.Name, row.UpdatedAt = name, now
		if err := tx.Model(row).Select("Name", "UpdatedAt").UpdateColumns(row).Error; err != nil {
			return fmt.Errorf("rename device: %w", err)
		}
		err = note(tx, &models.DeviceEvent{DeviceID: id, Kind: models.DeviceRenamed, UserID: &by.UserID, Note: before + " → " + name, At: now})
		if err != nil {
			return err
		}
		if renamed, err = answerOf(tx, row, now); err != nil {
			return err
		}
		return record(ctx, tx, activity.DevicesRename, row, nil, activity.Changed("name", before, name))
	})
	if err != nil {
		return Device{}, err
	}
	return renamed, nil
}

// SetSessionStatus suspends, revives or ends a session. Moving it to the status it has does nothing.
// Errors: ErrSessionNotFound, ErrSessionMove, ErrBlocked, ErrSuspended, ErrInactive (reviving on such a device).
func (s *Service) SetSessionStatus(ctx context.Context, by caller.Caller, id uuid.UUID, status string) (Session, error) {
	found, err := s.Session(ctx, by, id)
	if err != nil {
		return Session{}, err
	}
	now := s.now()
	changed := sessionRow{DeviceName: found.DeviceName, EntityID: found.EntityID, UserName: found.UserName}
	reason := ""
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		device, err := lockDevice(tx, by, found.DeviceID)
		if err != nil {
			return err
		}
		var row models.DeviceSession
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&row).Error; err != nil { // EndOrphans takes no device's lock
			return fmt.Errorf("read device session: %w", err)
		}
		if row.Status == status {
			changed.DeviceSession = row
			return nil
		}
		if reason, err = moveSession(tx, device, &row, status, now); err != nil {
			return err
		}
		err = note(tx, &models.DeviceEvent{DeviceID: device.ID, Kind: models.DeviceSessionPut, SessionID: &id, UserID: &by.UserID, Note: row.Status + " → " + status, At: now})
		if err != nil {
			return err
		}
		if err := tx.Where("id = ?", id).Take(&changed.DeviceSession).Error; err != nil {
			return fmt.Errorf("read device session: %w", err)
		}
		changes := activity.Changed("status", row.Status, status)
		return record(ctx, tx, activity.DevicesSessionStatus, device, map[string]any{"session": id}, changes)
	})
	if err != nil {
		return Session{}, err
	}
	if reason != "" {
		s.terminated(ctx, []uuid.UUID{id}, reason, now)
	}
	return changed.session(now), nil
}

// moveSession changes a session under its device's lock, and returns why its connection must end, if it must.
func moveSession(tx *gorm.DB, device *models.Device, row *models.DeviceSession, status string, now time.Time) (reason string, err error) {
	columns := activeColumns()
	switch {
	case row.Status == models.StatusInactive:
		return "", ErrSessionMove
	case status == models.StatusInactive:
		reason = endByHand
		columns = endColumns(reason, now)
	case status == models.StatusSuspended:
		reason = endSuspended
		columns = map[string]any{"status": models.StatusSuspended, "online_until": now}
	default:
		if err := usable(device.Status); err != nil {
			return "", err
		}
	}
	if err := tx.Model(&models.DeviceSession{ID: row.ID}).UpdateColumns(columns).Error; err != nil {
		return "", fmt.Errorf("move device session: %w", err)
	}
	return reason, nil
}

// usable refuses a device that is not active, each status with its own error.
func usable(status string) error {
	switch status {
	case models.StatusActive:
		return nil
	case models.StatusBlocked:
		return ErrBlocked
	case models.StatusSuspended:
		return ErrSuspended
	default:
		return ErrInactive
	}
}

// endOrphansSQL compares the status once more, because others may end the sessions meanwhile.
const endOrphansSQL = `UPDATE device_sessions SET status = 'inactive', held_by_device = false, ended_at = $1, end_reason = $2, online_until = $1
	WHERE id IN (SELECT s.id FROM device_sessions s JOIN user_sessions u ON u.id = s.user_session_id
		WHERE s.status <> 'inactive' AND (u.ended_at IS NOT NULL OR u.expires_at <= $1) LIMIT $3) AND status <> 'inactive'`

// EndOrphans ends the sessions of devices whose user's session is over, so that lists of them are true: no
// connection can be made with them anyway. It is idempotent.
func (s *Service) EndOrphans(ctx context.Context) (int64, error) {
	n, err := storage.Batched(ctx, s.pool, expireOrphans,
		storage.Statement{SQL: endOrphansSQL, Args: []any{s.now(), endUserOver}})
	if err != nil {
		return n, fmt.Errorf("end orphaned device sessions: %w", err)
	}
	return n, nil
}

// terminated publishes to the connections of sessions that they must end.
func (s *Service) terminated(ctx context.Context, sessions []uuid.UUID, reason string, at time.Time) {
	for _, id := range sessions {
		s.events.Publish(ctx, realtime.DeviceSession(id), realtime.EventOf(at, realtime.Terminated{DeviceSessionID: id, Reason: reason}))
	}
}
