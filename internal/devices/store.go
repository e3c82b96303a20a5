package devices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// devicesOf and sessionsOf list rows of entities in the caller's scope; further conditions are added to Where. A
// device is joined with its last session.
func devicesOf(by caller.Caller) *storage.Listing {
	return &storage.Listing{Columns: deviceColumns, From: fromDevices, CountFrom: "FROM devices d JOIN entities e ON e.id = d.entity_id",
		Where: inScope(by), Order: "d.created_at DESC, d.id DESC"}
}

func sessionsOf(by caller.Caller) *storage.Listing {
	return &storage.Listing{Columns: sessionColumns, From: fromSessions + " JOIN users u ON u.id = s.user_id", CountFrom: fromSessions,
		Where: inScope(by), Order: "s.created_at DESC, s.id DESC"}
}

const deviceColumns = `d.id, d.entity_id, d.name, d.status, d.info, d.created_by, d.created_at, d.updated_at, d.status_at,
		s.id AS session_id, s.online_until, s.last_seen_at, coalesce(s.status = 'active', false) AS live`

const fromDevices = `FROM devices d JOIN entities e ON e.id = d.entity_id
	LEFT JOIN LATERAL (SELECT * FROM device_sessions WHERE device_id = d.id ORDER BY created_at DESC, id DESC LIMIT 1) s ON true`

const sessionColumns = `s.id, s.device_id, s.user_id, s.user_session_id, s.status, s.connection_id, s.connected_at, s.last_seen_at, s.online_until,
		s.created_at, s.ended_at, s.end_reason, d.name AS device_name, d.entity_id, u.name AS user_name`

const fromSessions = `FROM device_sessions s JOIN devices d ON d.id = s.device_id JOIN entities e ON e.id = d.entity_id`

// inScope selects rows of entities in the caller's scope.
func inScope(by caller.Caller) *storage.Where {
	w := &storage.Where{}
	w.And("e.path LIKE " + w.Arg(by.Scope.Pattern()))
	return w
}

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
	l := devicesOf(by)
	w := l.Where
	if f.EntityID != uuid.Nil {
		w.And("d.entity_id = " + w.Arg(f.EntityID))
	}
	if f.Status != "" {
		w.And("d.status = " + w.Arg(f.Status))
	}
	if f.Text != "" {
		w.And("d.name ILIKE " + w.Arg(storage.Containing(f.Text)))
	}
	rows, total, err := storage.List(ctx, s.pool, l, pgx.RowToStructByNameLax[deviceRow], f.Limit, f.Offset)
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
	l := devicesOf(by)
	l.Where.And("d.id = " + l.Where.Arg(id))
	row, err := found[deviceRow](ctx, s.pool, l)
	if errors.Is(err, pgx.ErrNoRows) {
		return Device{}, ErrDeviceNotFound
	}
	if err != nil {
		return Device{}, fmt.Errorf("read device: %w", err)
	}
	return row.device(s.now()), nil
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
	l := sessionsOf(by)
	w := l.Where
	if f.DeviceID != uuid.Nil {
		w.And("s.device_id = " + w.Arg(f.DeviceID))
	}
	if f.EntityID != uuid.Nil {
		w.And("d.entity_id = " + w.Arg(f.EntityID))
	}
	if f.UserID != uuid.Nil {
		w.And("s.user_id = " + w.Arg(f.UserID))
	}
	if f.Status != "" {
		w.And("s.status = " + w.Arg(f.Status))
	}
	if f.Online {
		w.And("s.status = 'active' AND s.online_until > " + w.Arg(now))
	}
	rows, total, err := storage.List(ctx, s.pool, l, pgx.RowToStructByNameLax[sessionRow], f.Limit, f.Offset)
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
	l := sessionsOf(by)
	l.Where.And("s.id = " + l.Where.Arg(id))
	row, err := found[sessionRow](ctx, s.pool, l)
	if errors.Is(err, pgx.ErrNoRows) {
		return Session{}, ErrSessionNotFound
	}
	if err != nil {
		return Session{}, fmt.Errorf("read device session: %w", err)
	}
	return row.session(s.now()), nil
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
	err := s.db.WithContext(ctx).Table("device_events v").Select("v.*, coalesce(u.name, '') AS user_name").
		Joins("LEFT JOIN users u ON u.id = v.user_id").Where("v.device_id = ?", device).Order("v.id DESC").Limit(eventsShown).Scan(&rows).Error
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

// found reads the one row that a listing selects. Errors: pgx.ErrNoRows.
func found[T any](ctx context.Context, db storage.Querier, l *storage.Listing) (*T, error) {
	rows, err := db.Query(ctx, "SELECT "+l.Columns+" "+l.From+l.Where.SQL(), l.Where.Args()...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByNameLax[T])
}

// lockDevice reads a device in the caller's scope and holds its row. Errors: ErrDeviceNotFound.
func lockDevice(tx *gorm.DB, by caller.Caller, id uuid.UUID) (*models.Device, error) {
	var row models.Device
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("id = ? AND entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", id, by.Scope.Pattern()).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrDeviceNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("lock device: %w", err)
	}
	return &row, nil
}

// answerOf returns a locked device as its transaction leaves it, with its last session. The answer to a change is
// read before the commit, so that a change that is done is not answered with an error.
func answerOf(tx *gorm.DB, device *models.Device, now time.Time) (Device, error) {
	row := deviceRow{Device: *device}
	var last []models.DeviceSession
	err := tx.Where("device_id = ?", device.ID).Order("created_at DESC, id DESC").Limit(1).Find(&last).Error
	if err != nil {
		return Device{}, fmt.Errorf("read last session: %w", err)
	}
	if len(last) > 0 {
		row.SessionID, row.OnlineUntil, row.LastSeenAt = &last[0].ID, &last[0].OnlineUntil, &last[0].LastSeenAt
		row.Live = last[0].Status == models.StatusActive
	}
	return row.device(now), nil
}

// record adds an entry about a device to the activity log, as the last statement of its transaction.
func record(
	ctx context.Context, tx *gorm.DB, action activity.Action, d *models.Device, details map[string]any,
	changes activity.Changes,
) error {
	return activity.RecordTx(ctx, tx, activity.Entry{
		Action: action, EntityID: d.EntityID, Target: d.ID.String(), Details: details, Changes: changes,
	})
}

// note writes down what happened to a device.
func note(tx *gorm.DB, e *models.DeviceEvent) error {
	e.ID = uuid.Must(uuid.NewV7())
	if err := tx.Create(e).Error; err != nil {
		return fmt.Errorf("note device event: %w", err)
	}
	return nil
}
