package devices

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/caller"
	"banca/models"
	"banca/storage"
)

// selectDevices gives each device its last session.
const selectDevices = `SELECT d.*, s.id AS session_id, s.online_until, s.last_seen_at, coalesce(s.status = 'active', false) AS live
	FROM devices d JOIN entities e ON e.id = d.entity_id
	LEFT JOIN LATERAL (SELECT * FROM device_sessions WHERE device_id = d.id ORDER BY created_at DESC, id DESC LIMIT 1) s ON true
	WHERE e.path LIKE @scope`

const selectSessions = `SELECT s.*, d.name AS device_name, d.entity_id, u.name AS user_name
	FROM device_sessions s JOIN devices d ON d.id = s.device_id JOIN entities e ON e.id = d.entity_id JOIN users u ON u.id = s.user_id
	WHERE e.path LIKE @scope`

// DeviceFilter selects devices in the caller's scope; zero fields select all.
type DeviceFilter struct {
	EntityID uuid.UUID
	Status   string
	Text     string // in the name
	Limit    int
	Offset   int
}

// Devices lists devices, newest first, and returns their total.
func (s *Service) Devices(ctx context.Context, by caller.Caller, f *DeviceFilter) ([]Device, int64, error) {
	where, args := "", map[string]any{"scope": by.Scope.Pattern()}
	if f.EntityID != uuid.Nil {
		where, args["entity"] = where+" AND d.entity_id = @entity", f.EntityID
	}
	if f.Status != "" {
		where, args["status"] = where+" AND d.status = @status", f.Status
	}
	if f.Text != "" {
		where, args["text"] = where+" AND d.name ILIKE @text", storage.Containing(f.Text)
	}
	rows, total, err := listed[deviceRow](ctx, s.db, selectDevices+where, " ORDER BY d.created_at DESC, d.id DESC", args, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list devices: %w", err)
	}
	now := s.now()
	list := make([]Device, len(rows))
	for i := range rows {
		list[i] = rows[i].device(now)
	}
	return list, total, nil
}

// Device returns a device in the caller's scope. Errors: ErrDeviceNotFound.
func (s *Service) Device(ctx context.Context, by caller.Caller, id uuid.UUID) (Device, error) {
	var rows []deviceRow
	err := s.db.WithContext(ctx).Raw(selectDevices+" AND d.id = @id", map[string]any{"scope": by.Scope.Pattern(), "id": id}).Scan(&rows).Error
	if err != nil {
		return Device{}, fmt.Errorf("read device: %w", err)
	}
	if len(rows) == 0 {
		return Device{}, ErrDeviceNotFound
	}
	return rows[0].device(s.now()), nil
}

// SessionFilter selects sessions of devices in the caller's scope; zero fields select all.
type SessionFilter struct {
	DeviceID uuid.UUID
	EntityID uuid.UUID
	UserID   uuid.UUID
	Status   string
	Online   bool // only sessions that are online
	Limit    int
	Offset   int
}

// Sessions lists sessions of devices, newest first, and returns their total.
func (s *Service) Sessions(ctx context.Context, by caller.Caller, f *SessionFilter) ([]Session, int64, error) {
	now := s.now()
	where, args := "", map[string]any{"scope": by.Scope.Pattern(), "now": now}
	for _, one := range []struct {
		column string
		id     uuid.UUID
	}{{"s.device_id", f.DeviceID}, {"d.entity_id", f.EntityID}, {"s.user_id", f.UserID}} {
		if one.id != uuid.Nil {
			name := one.column[2:]
			where, args[name] = where+" AND "+one.column+" = @"+name, one.id
		}
	}
	if f.Status != "" {
		where, args["status"] = where+" AND s.status = @status", f.Status
	}
	if f.Online {
		where += " AND s.status = 'active' AND s.online_until > @now"
	}
	rows, total, err := listed[sessionRow](ctx, s.db, selectSessions+where, " ORDER BY s.created_at DESC, s.id DESC", args, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list device sessions: %w", err)
	}
	list := make([]Session, len(rows))
	for i := range rows {
		list[i] = rows[i].session(now)
	}
	return list, total, nil
}

// Session returns a session of a device in the caller's scope. Errors: ErrSessionNotFound.
func (s *Service) Session(ctx context.Context, by caller.Caller, id uuid.UUID) (Session, error) {
	var rows []sessionRow
	err := s.db.WithContext(ctx).Raw(selectSessions+" AND s.id = @id", map[string]any{"scope": by.Scope.Pattern(), "id": id}).Scan(&rows).Error
	if err != nil {
		return Session{}, fmt.Errorf("read device session: %w", err)
	}
	if len(rows) == 0 {
		return Session{}, ErrSessionNotFound
	}
	return rows[0].session(s.now()), nil
}

// Events returns what happened last to a device in the caller's scope, newest first. Errors: ErrDeviceNotFound.
func (s *Service) Events(ctx context.Context, by caller.Caller, device uuid.UUID) ([]Event, error) {
	if _, err := s.Device(ctx, by, device); err != nil {
		return nil, err
	}
	var rows []struct {
		models.DeviceEvent

		UserName string
	}
	err := s.db.WithContext(ctx).Raw(`SELECT v.*, coalesce(u.name, '') AS user_name FROM device_events v LEFT JOIN users u ON u.id = v.user_id
		WHERE v.device_id = ? ORDER BY v.id DESC LIMIT ?`, device, eventsShown).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read device events: %w", err)
	}
	list := make([]Event, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = Event{ID: r.ID, Kind: r.Kind, UserName: r.UserName, Note: r.Note, At: r.At.UTC()}
		if r.SessionID != nil {
			list[i].SessionID = *r.SessionID
		}
		if r.UserID != nil {
			list[i].UserID = *r.UserID
		}
	}
	return list, nil
}

// listed counts the rows of a query and reads a page of them.
func listed[T any](ctx context.Context, db *gorm.DB, query, order string, args map[string]any, limit, offset int) ([]T, int64, error) {
	var total int64
	if err := db.WithContext(ctx).Raw("SELECT count(*) FROM ("+query+") AS all_of_them", args).Scan(&total).Error; err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = limit, offset
	var rows []T
	err := db.WithContext(ctx).Raw(query+order+" LIMIT @limit OFFSET @offset", args).Scan(&rows).Error
	return rows, total, err
}

// lockDevice reads a device in the caller's scope and holds its row. Errors: ErrDeviceNotFound.
func lockDevice(tx *gorm.DB, by caller.Caller, id uuid.UUID) (*models.Device, error) {
	var rows []models.Device
	err := tx.Raw(`SELECT d.* FROM devices d JOIN entities e ON e.id = d.entity_id WHERE d.id = ? AND e.path LIKE ? FOR UPDATE OF d`, id, by.Scope.Pattern()).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("lock device: %w", err)
	}
	if len(rows) == 0 {
		return nil, ErrDeviceNotFound
	}
	return &rows[0], nil
}

// record adds an entry about a device to the activity log, as the last statement of its transaction.
func record(ctx context.Context, tx *gorm.DB, action string, d *models.Device, details map[string]any) error {
	return activity.RecordTx(ctx, tx, activity.Entry{Module: "devices", Action: action, EntityID: d.EntityID, Target: d.ID.String(), Details: details})
}

// note writes down what happened to a device.
func note(tx *gorm.DB, e *models.DeviceEvent) error {
	e.ID = uuid.Must(uuid.NewV7())
	if err := tx.Create(e).Error; err != nil {
		return fmt.Errorf("note device event: %w", err)
	}
	return nil
}
