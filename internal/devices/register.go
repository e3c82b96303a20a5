package devices

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

// NewDevice is the input of Register.
type NewDevice struct {
	EntityID    uuid.UUID // the caller's own when Nil
	Name        string
	Fingerprint string
	Info        json.RawMessage // an object, or nothing
}

// Prepared is a valid NewDevice with its id and its key.
type Prepared struct {
	Key string

	row models.Device
}

// ID returns the id that the device will have.
func (p *Prepared) ID() uuid.UUID { return p.row.ID }

// Register adds a device to an entity of the caller's subtree; a caller who does not administer devices may add to
// the caller's entity only. It is active at once. The key is returned here only. Errors: errors of Prepare and
// RegisterTx.
func (s *Service) Register(ctx context.Context, by caller.Caller, n *NewDevice) (d Device, key string, err error) {
	if n.EntityID == uuid.Nil {
		n.EntityID = by.EntityID
	}
	p, err := s.Prepare(n)
	if err != nil {
		return Device{}, "", err
	}
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		d, err = s.RegisterTx(ctx, by, tx, p)
		return err
	})
	if err != nil {
		return Device{}, "", err
	}
	return d, p.Key, nil
}

// Prepare checks a device and makes its key. Errors: ErrInvalidDevice.
func (s *Service) Prepare(n *NewDevice) (*Prepared, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	p := &Prepared{row: models.Device{
		ID: uuid.Must(uuid.NewV7()), EntityID: n.EntityID, Name: strings.TrimSpace(n.Name),
		FingerprintHash: s.fingerprint(n.Fingerprint),
		Status:          models.StatusActive, Info: n.Info,
	}}
	p.Key, p.row.KeyHash = newKey(p.row.ID)
	return p, nil
}

// RegisterTx adds a prepared device in the caller's transaction. Errors: ErrOwnEntityOnly, ErrEntityNotFound,
// ErrDeviceExists, ErrTooManyDevices.
func (s *Service) RegisterTx(ctx context.Context, by caller.Caller, tx *gorm.DB, p *Prepared) (Device, error) {
	row, now := p.row, s.now()
	row.CreatedBy, row.CreatedAt, row.UpdatedAt, row.StatusAt = by.UserID, now, now, now
	if err := admit(tx, by, row.EntityID); err != nil {
		return Device{}, err
	}
	if err := tx.Create(&row).Error; err != nil {
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return Device{}, ErrDeviceExists
		}
		return Device{}, fmt.Errorf("create device: %w", err)
	}
	if err := note(tx, &models.DeviceEvent{DeviceID: row.ID, Kind: models.DeviceRegistered, UserID: &by.UserID, At: now}); err != nil {
		return Device{}, err
	}
	made := deviceRow{Device: row}
	return made.device(now), record(ctx, tx, activity.DevicesRegister, &row, map[string]any{"name": row.Name}, nil)
}

// admit makes sure that the caller may add a device to the entity, and that there is room. The entity's lock
// makes the count true.
func admit(tx *gorm.DB, by caller.Caller, entity uuid.UUID) error {
	var found []uuid.UUID
	err := tx.Model(&models.Entity{}).Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).
		Where("id = ? AND path LIKE ?", entity, by.Scope.Pattern()).Pluck("id", &found).Error
	if err != nil {
		return fmt.Errorf("lock entity: %w", err)
	}
	if len(found) == 0 {
		return ErrEntityNotFound
	}
	if entity != by.EntityID && !by.May(auth.DevicesWrite) {
		return ErrOwnEntityOnly
	}
	var n int64
	if err := tx.Model(&models.Device{}).Where("entity_id = ?", entity).Count(&n).Error; err != nil {
		return fmt.Errorf("count devices: %w", err)
	}
	if n >= maxDevices {
		return ErrTooManyDevices
	}
	return nil
}

// check validates the input; an empty Info becomes an object.
func (n *NewDevice) check() error {
	var wrong []apperr.Detail
	if err := checkName(n.Name); err != nil {
		wrong = append(wrong, *err)
	}
	if len(n.Fingerprint) < minFingerprint || !fits(n.Fingerprint, maxFingerprint) {
		wrong = append(wrong, apperr.Detail{
			Location: "fingerprint",
			Message:  apperr.Messagef("expected a text of %d to %d bytes", minFingerprint, maxFingerprint),
		})
	}
	if len(n.Info) == 0 || string(n.Info) == "null" {
		n.Info = json.RawMessage("{}")
	}
	var object map[string]any
	if len(n.Info) > maxInfo || json.Unmarshal(n.Info, &object) != nil || !storable(object) {
		wrong = append(wrong, apperr.Detail{
			Location: "info", Message: apperr.Messagef("expected an object of at most %d bytes", maxInfo),
		})
	}
	if wrong != nil {
		return ErrInvalidDevice.WithDetails(wrong...)
	}
	return nil
}

func checkName(name string) *apperr.Detail {
	if strings.TrimSpace(name) == "" || !fits(name, maxName) {
		return &apperr.Detail{Location: "name", Message: apperr.Messagef("expected a name of at most %d bytes", maxName)}
	}
	return nil
}

func fits(text string, most int) bool { return len(text) <= most && models.Storable(text) }

// storable reports whether jsonb can hold the texts of a value: it has no place for NUL.
func storable(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, part := range v {
			if !storable(key) || !storable(part) {
				return false
			}
		}
	case []any:
		for _, part := range v {
			if !storable(part) {
				return false
			}
		}
	case string:
		return utf8.ValidString(v) && !strings.ContainsRune(v, 0)
	}
	return true
}

// VerifyKey returns the device of a key: an active one of the caller's entity. Errors: ErrDeviceKey.
func (s *Service) VerifyKey(ctx context.Context, by caller.Caller, key string) (Device, error) {
	id, ok := deviceOfKey(key)
	if !ok {
		return Device{}, ErrDeviceKey
	}
	var row deviceRow
	err := s.db.WithContext(ctx).Where("id = ? AND entity_id = ? AND status = ?", id, by.EntityID, models.StatusActive).Limit(1).Find(&row.Device).Error
	if err != nil {
		return Device{}, fmt.Errorf("find device: %w", err)
	}
	if subtle.ConstantTimeCompare(row.KeyHash, hashKey(key)) != 1 { // no device has no hash
		return Device{}, ErrDeviceKey
	}
	return row.device(s.now()), nil
}
