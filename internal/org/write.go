package org

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("org: dry run")

// write runs a change of the tree, and rolls it back in a dry run. It holds storage.LockTree until the commit, so that
// checks of other entities stay valid. Changes are rare, and sales do not take this lock.
func (s *Service) write(ctx context.Context, dryRun bool, fn func(tx *gorm.DB) error) error {
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := storage.LockTree.TakeGorm(tx); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		if dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err == nil {
		s.Forget()
	}
	return err
}

// NewEntity is the request to create an entity.
type NewEntity struct {
	ParentID        uuid.UUID
	Type            string
	Name            string
	Code            string
	Status          string // register or active; "" means register
	Groups          Groups
	DefaultDeviceID uuid.UUID // must be Nil, because a new entity has no devices
}

// Prepared is a valid NewEntity with its id.
type Prepared struct{ row models.Entity }

// ID returns the id that the entity will have; Nil for a nil entity, which Prepare refused.
func (p *Prepared) ID() uuid.UUID {
	if p == nil {
		return uuid.Nil
	}
	return p.row.ID
}

// Create creates an entity below a parent in the caller's scope. Errors: errors of Prepare and CreateTx.
func (s *Service) Create(ctx context.Context, by caller.Caller, n *NewEntity) (created *Entity, err error) {
	p, err := s.Prepare(ctx, n)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, false, func(tx *gorm.DB) error {
		created, err = s.CreateTx(ctx, by, tx, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// Prepare checks what does not depend on other entities. Errors: ErrInvalidEntity.
func (s *Service) Prepare(ctx context.Context, n *NewEntity) (*Prepared, error) {
	row := models.Entity{
		ID: uuid.Must(uuid.NewV7()), EntityType: n.Type, Name: strings.TrimSpace(n.Name), Code: n.Code,
		ParentID: &n.ParentID, Status: n.Status,
	}
	if row.Status == "" {
		row.Status = models.StatusRegister
	}
	c, err := s.checker(ctx, n.Groups)
	if err != nil {
		return nil, err
	}
	checkNames(c, row.Name, row.Code)
	if rank(row.EntityType) < 0 {
		c.wrong("entity_type", "expected a type of entity")
	}
	if row.Status != models.StatusRegister && row.Status != models.StatusActive {
		c.wrong("status", "expected register or active")
	}
	if n.DefaultDeviceID != uuid.Nil {
		c.wrong("default_device_id", "a new entity has no devices")
	}
	for name := range allGroups() {
		*groupColumn(&row, name) = []byte("{}")
	}
	if err := n.Groups.apply(&row, c); err != nil {
		return nil, err
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	return &Prepared{row: row}, nil
}

// CreateTx creates a prepared entity in a transaction that holds storage.LockTree. After its commit the caller calls
// Forget. Errors: ErrEntityNotFound (the parent), ErrTypeOrder, ErrEntityExists, ErrRates.
func (s *Service) CreateTx(ctx context.Context, by caller.Caller, tx *gorm.DB, p *Prepared) (*Entity, error) {
	row := p.row
	parent, err := rowInScope(tx, by, *row.ParentID)
	if err != nil {
		return nil, err
	}
	if rank(row.EntityType) <= rank(parent.EntityType) {
		return nil, ErrTypeOrder
	}
	if err := requireFreeCode(tx, row.Code, row.ID); err != nil {
		return nil, err
	}
	row.Path = parent.Path + row.ID.String() + "/"
	if err := duplicateCode(tx.Create(&row).Error); err != nil {
		return nil, err
	}
	after, err := loadBranch(tx, row.ID)
	if err != nil {
		return nil, err
	}
	if err := compare(after, after, row.ID).err(row.ID); err != nil {
		return nil, err
	}
	created, err := entityOf(&row)
	if err != nil {
		return nil, err
	}
	return created, recordCreated(ctx, tx, &row)
}

// checker returns a checker, with the existing categories and bet types if given has rates.
func (s *Service) checker(ctx context.Context, given Groups) (*checker, error) {
	if _, rates := given[GroupFinance]["commissions"]; !rates || s.options.Classes == nil {
		return &checker{}, nil
	}
	classes, err := s.Classes(ctx)
	if err != nil {
		return nil, err
	}
	return &checker{classes: &classes}, nil
}

// Classes returns the categories and bet types that a rate may have. It returns none if a rate may have any.
func (s *Service) Classes(ctx context.Context) (Classes, error) {
	if s.options.Classes == nil {
		return Classes{}, nil
	}
	return s.options.Classes(ctx)
}

// The maximum length of a name, and the pattern of a code, which is printed on receipts and typed by hand.
const (
	maxName     = 100
	codePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$`
)

func checkNames(c *checker, name, code string) {
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		c.wrong("name", "expected a name")
	}
	c.text("name", name, maxName)
	if ok, err := regexp.MatchString(codePattern, code); !ok || err != nil {
		c.wrong("code", "expected 1 to 32 letters, digits, points, dashes and underscores")
	}
}

// requireFreeCode returns ErrEntityExists if another entity has the code, ignoring case.
func requireFreeCode(tx *gorm.DB, code string, id uuid.UUID) error {
	var n int64
	if err := tx.Model(&models.Entity{}).Where("upper(code) = upper(?) AND id <> ?", code, id).Count(&n).Error; err != nil {
		return fmt.Errorf("find code: %w", err)
	}
	if n > 0 {
		return ErrEntityExists
	}
	return nil
}

// requireOwnDevice returns ErrInvalidEntity if the default device belongs to another entity.
func requireOwnDevice(tx *gorm.DB, row *models.Entity) error {
	if row.DefaultDeviceID == nil {
		return nil
	}
	var own int64
	if err := tx.Model(&models.Device{}).Where("id = ? AND entity_id = ?", row.DefaultDeviceID, row.ID).Count(&own).Error; err != nil {
		return fmt.Errorf("find default device: %w", err)
	}
	c := &checker{}
	if own == 0 {
		c.wrong("default_device_id", "expected a device of this entity")
	}
	return c.err()
}

// duplicateCode maps the unique violation of a code to ErrEntityExists.
func duplicateCode(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return ErrEntityExists
	}
	return fmt.Errorf("write entity: %w", err)
}

// Change is a change of an entity. Nil fields are not changed.
type Change struct {
	Name            *string
	Code            *string
	DefaultDeviceID *uuid.UUID // Nil for none
	Groups          Groups
	DryRun          bool // change nothing and return the effect
}

// Update changes an entity. In a dry run, rates above the parent's are returned in the RateEffect and are not an error.
// The RateEffect is nil if the change has no rates. Errors: ErrEntityNotFound, ErrOwnEntity, ErrEntityExists,
// ErrInvalidEntity, ErrRates.
func (s *Service) Update(
	ctx context.Context, by caller.Caller, id uuid.UUID, ch *Change,
) (*Entity, *RateEffect, error) {
	return s.update(ctx, by, id, ch, nil)
}

// update is Update. If groupsOf is not nil, it returns the values of ch.Groups from the locked row.
func (s *Service) update(
	ctx context.Context, by caller.Caller, id uuid.UUID, ch *Change, groupsOf func(*models.Entity) (Groups, error),
) (*Entity, *RateEffect, error) {
	var changed *Entity
	var effect *RateEffect
	c, err := s.checker(ctx, ch.Groups)
	if err != nil {
		return nil, nil, err
	}
	err = s.write(ctx, ch.DryRun, func(tx *gorm.DB) error {
		row, err := rowInScope(tx, by, id)
		if err != nil {
			return err
		}
		before := *row
		_, rates := ch.Groups[GroupFinance]
		_, rules := ch.Groups[GroupConfig]
		if (rates || rules) && row.Path == by.Scope.Path() && row.ParentID != nil {
			return ErrOwnEntity
		}
		if groupsOf != nil {
			if ch.Groups, err = groupsOf(row); err != nil {
				return err
			}
		}
		if err := ch.apply(row, c); err != nil {
			return err
		}
		if err := requireFreeCode(tx, row.Code, id); err != nil {
			return err
		}
		if ch.DefaultDeviceID != nil {
			if err := requireOwnDevice(tx, row); err != nil {
				return err
			}
		}
		effect, err = applyAndCompare(tx, rates, ch.DryRun, id, func() error {
			return duplicateCode(tx.Model(row).Select("Name", "Code", "DefaultDeviceID", "FinanceInfo", "ConfigInfo", "LegalInfo", "PrintInfo", "SocialInfo",
				"MessagingSettings", "ContactInfo", "LocationInfo", "UpdatedAt").Updates(row).Error)
		})
		if err != nil {
			return err
		}
		if changed, err = entityOf(row); err != nil || ch.DryRun {
			return err
		}
		return recordUpdated(ctx, tx, &before, row)
	})
	return changed, effect, err
}

// apply validates the change and sets the fields of the row. Errors: ErrInvalidEntity.
func (ch *Change) apply(row *models.Entity, c *checker) error {
	if err := c.allowStored(row.FinanceInfo); err != nil {
		return fmt.Errorf("entity %s: %w", row.ID, err)
	}
	if ch.Name != nil {
		row.Name = strings.TrimSpace(*ch.Name)
	}
	if ch.Code != nil {
		row.Code = *ch.Code
	}
	if ch.Name != nil || ch.Code != nil {
		checkNames(c, row.Name, row.Code)
	}
	if ch.DefaultDeviceID != nil {
		row.DefaultDeviceID = ch.DefaultDeviceID
		if *ch.DefaultDeviceID == uuid.Nil {
			row.DefaultDeviceID = nil
		}
	}
	if _, sets := ch.Groups[GroupFinance]["commissions"]; sets && row.ParentID == nil {
		c.wrong(GroupFinance+".commissions", "the operator grants rates and has none")
	}
	if _, sets := ch.Groups[GroupFinance]["participation"]; sets && row.ParentID == nil {
		c.wrong(GroupFinance+".participation", "the operator grants rates and has none")
	}
	if err := ch.Groups.apply(row, c); err != nil {
		return err
	}
	return c.err()
}

// applyAndCompare runs a change. If rates is true, it returns the effect on the rates of the subtree; a violation is an
// error except in a dry run.
func applyAndCompare(tx *gorm.DB, rates, dryRun bool, id uuid.UUID, change func() error) (*RateEffect, error) {
	if !rates {
		return nil, change()
	}
	before, err := loadBranch(tx, id)
	if err != nil {
		return nil, err
	}
	if err := change(); err != nil {
		return nil, err
	}
	after, err := loadBranch(tx, id)
	if err != nil {
		return nil, err
	}
	effect := compare(before, after, id)
	if dryRun {
		return effect, nil
	}
	return effect, effect.err(id)
}

// SetStatus changes the status of an entity. Errors: ErrEntityNotFound, ErrOwnEntity, ErrRootProtected, ErrStatusMove.
func (s *Service) SetStatus(ctx context.Context, by caller.Caller, id uuid.UUID, status string) (*Entity, error) {
	var changed *Entity
	err := s.write(ctx, false, func(tx *gorm.DB) error {
		row, err := rowInScope(tx, by, id)
		if err != nil {
			return err
		}
		switch {
		case isProtected(row) && status != models.StatusActive:
			return ErrRootProtected
		case row.Path == by.Scope.Path() && row.ParentID != nil:
			return ErrOwnEntity
		case row.Status != status && !slices.Contains(models.StatusesAfter(row.Status), status):
			return ErrStatusMove
		}
		t := logDetailsOf(row)
		t.Changes.Set("status", row.Status, status)
		row.Status = status
		if err := tx.Model(row).Select("Status", "UpdatedAt").Updates(row).Error; err != nil {
			return fmt.Errorf("set status: %w", err)
		}
		if changed, err = entityOf(row); err != nil || len(t.Changes) == 0 {
			return err
		}
		return recordTx(ctx, tx, activity.EntitiesStatus, row.ID, row, t)
	})
	return changed, err
}

// isProtected reports whether the entity is the root of the tree.
func isProtected(row *models.Entity) bool { return row.ParentID == nil }
