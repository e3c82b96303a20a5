package devices

import (
	"context"
	"crypto/subtle"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// Validate proves the device of a logged-in user by its fingerprint: the device's older sessions end and a new one
// begins. A wrong fingerprint is recorded and changes nothing else; the device's status is revealed only to a caller
// with the right one. Errors: ErrDeviceNotFound, ErrFingerprint, ErrBlocked, ErrSuspended, ErrInactive,
// ErrSessionHeld.
func (s *Service) Validate(ctx context.Context, by caller.Caller, id uuid.UUID, fingerprint string) (v Validated, err error) {
	now := s.now()
	made := models.DeviceSession{
		ID: uuid.Must(uuid.NewV7()), DeviceID: id, UserID: by.UserID, UserSessionID: by.SessionID, Status: models.StatusActive,
		LastSeenAt: now, OnlineUntil: now.Add(onlineAfterValidate), CreatedAt: now,
	}
	var replaced []uuid.UUID
	mismatch := false
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		device, err := lockDevice(tx, by, id)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(device.FingerprintHash, s.fingerprint(fingerprint)) != 1 {
			mismatch = true
			return noteMismatch(ctx, tx, by, device, now)
		}
		if err := usable(device.Status); err != nil {
			return err
		}
		if err := notHeld(tx, id); err != nil {
			return err
		}
		if replaced, err = endSessions(tx, id, endReplaced, now); err != nil {
			return err
		}
		if err := tx.Create(&made).Error; err != nil {
			return fmt.Errorf("create device session: %w", err)
		}
		if v, err = validated(tx, by, device, &made); err != nil {
			return err
		}
		return note(tx, &models.DeviceEvent{DeviceID: id, Kind: models.DeviceValidated, SessionID: &made.ID, UserID: &by.UserID, At: now})
	})
	if err == nil && mismatch {
		err = ErrFingerprint
	}
	if err != nil {
		return Validated{}, err
	}
	s.terminated(ctx, replaced, endReplaced, now)
	return v, nil
}

// notHeld refuses to replace a session that an administrator suspended: it would have no force.
func notHeld(tx *gorm.DB, device uuid.UUID) error {
	var held int64
	err := tx.Model(&models.DeviceSession{}).Where("device_id = ? AND status = ? AND NOT held_by_device", device, models.StatusSuspended).Count(&held).Error
	if err != nil {
		return fmt.Errorf("read device session: %w", err)
	}
	if held > 0 {
		return ErrSessionHeld
	}
	return nil
}

// validated returns the answer to a validation, before its commit.
func validated(tx *gorm.DB, by caller.Caller, row *models.Device, made *models.DeviceSession) (Validated, error) {
	place, err := placeOf(tx, row.EntityID)
	if err != nil {
		return Validated{}, err
	}
	device := (&deviceRow{Device: *row, SessionID: &made.ID, OnlineUntil: &made.OnlineUntil, LastSeenAt: &made.LastSeenAt, Live: true}).device(made.CreatedAt)
	session := (&sessionRow{DeviceSession: *made, DeviceName: device.Name, EntityID: device.EntityID, UserName: by.Name}).session(made.CreatedAt)
	return Validated{Session: session, Device: device, Entity: place}, nil
}

// noteMismatch keeps a wrong fingerprint, as long as there are not too many of them.
func noteMismatch(ctx context.Context, tx *gorm.DB, by caller.Caller, device *models.Device, now time.Time) error {
	var n int64
	err := tx.Model(&models.DeviceEvent{}).Where("device_id = ? AND kind = ? AND at > ?", device.ID, models.DeviceMismatch, now.Add(-time.Hour)).Count(&n).Error
	if err != nil {
		return fmt.Errorf("count mismatches: %w", err)
	}
	if n >= mismatchesPerHour {
		return nil
	}
	if err := note(tx, &models.DeviceEvent{DeviceID: device.ID, Kind: models.DeviceMismatch, UserID: &by.UserID, At: now}); err != nil {
		return err
	}
	return record(ctx, tx, activity.DevicesFingerprintMismatch, device, nil, nil)
}

// placeOf reads an entity and its parent.
func placeOf(tx *gorm.DB, id uuid.UUID) (Place, error) {
	var rows []models.Entity
	err := tx.Where("id = ? OR id = (SELECT parent_id FROM entities WHERE id = ?)", id, id).Find(&rows).Error
	if err != nil {
		return Place{}, fmt.Errorf("read entity: %w", err)
	}
	if len(rows) == 0 {
		return Place{}, ErrEntityNotFound
	}
	var self, parent *Place
	for i := range rows {
		r := &rows[i]
		one := &Place{ID: r.ID, Type: r.EntityType, Name: r.Name, Code: r.Code, Status: r.Status, Path: r.Path}
		if r.ID == id {
			self = one
		} else {
			parent = one
		}
	}
	self.Parent = parent
	return *self, nil
}
