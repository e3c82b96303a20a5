package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

// UserPermissions are the permissions of a user: by role, granted, denied, and the result.
type UserPermissions struct {
	Role      string
	Granted   []Permission // beyond the role
	Denied    []Permission // in spite of the role
	Effective caller.PermissionSet
}

// PermissionsOf returns the permissions of a user in the caller's scope. Errors: ErrUserNotFound.
func (s *Service) PermissionsOf(ctx context.Context, by caller.Caller, id uuid.UUID) (UserPermissions, error) {
	row, err := s.userInScope(ctx, by, id)
	if err != nil {
		return UserPermissions{}, err
	}
	return permissionsIn(s.db.WithContext(ctx), &row)
}

// SetPermissions replaces the permissions that a user is granted and denied. A caller cannot grant a permission that
// the caller does not have. Errors: ErrUserNotFound, ErrUserAbove, ErrOwnUser, ErrNotGrantable.
func (s *Service) SetPermissions(ctx context.Context, by caller.Caller, id uuid.UUID, granted, denied []Permission) (UserPermissions, error) {
	var result UserPermissions
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := s.manageable(tx, by, id)
		if err != nil {
			return err
		}
		if id == by.UserID {
			return ErrOwnUser
		}
		if err := grantable(row.Role, granted, denied); err != nil {
			return err
		}
		before, err := permissionsIn(tx, &row)
		if err != nil {
			return err
		}
		if err := writePermissions(tx, id, granted, denied); err != nil {
			return err
		}
		if result, err = permissionsIn(tx, &row); err != nil {
			return err
		}
		if !by.Permissions.Covers(result.Effective) {
			return ErrUserAbove
		}
		changes := activity.Between(
			map[string]any{"granted": before.Granted, "denied": before.Denied},
			map[string]any{"granted": result.Granted, "denied": result.Denied},
		)
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.UsersPermissions, EntityID: row.EntityID, Target: id.String(), Changes: changes,
		})
	})
	if err != nil {
		return UserPermissions{}, fmt.Errorf("set permissions: %w", err)
	}
	s.Forget()
	return result, nil
}

// grantable names permissions that the role cannot be granted, that do not exist, or that are both granted and
// denied.
func grantable(role string, granted, denied []Permission) error {
	var wrong []apperr.Detail
	for i, p := range granted {
		if !Grantable(role, p) || slices.Contains(denied, p) {
			wrong = append(wrong, apperr.Detail{Location: fmt.Sprintf("granted[%d]", i), Message: "cannot be granted to this user"})
		}
	}
	for i, p := range denied {
		if !slices.Contains(Permissions(), p) {
			wrong = append(wrong, apperr.Detail{Location: fmt.Sprintf("denied[%d]", i), Message: "unknown permission"})
		}
	}
	if wrong != nil {
		return ErrNotGrantable.WithDetails(wrong...)
	}
	return nil
}

func writePermissions(tx *gorm.DB, id uuid.UUID, granted, denied []Permission) error {
	if err := tx.Where("user_id = ?", id).Delete(&models.UserPermission{}).Error; err != nil {
		return err
	}
	var rows []models.UserPermission
	for _, p := range granted {
		rows = append(rows, models.UserPermission{UserID: id, Permission: string(p), Granted: true})
	}
	for _, p := range denied {
		rows = append(rows, models.UserPermission{UserID: id, Permission: string(p)})
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(rows).Error // a list may name a permission twice
}

// dropVoidGrants removes grants that a new role cannot have, so that they do not come back with the next role, and
// refuses a result beyond the caller's own permissions. Errors: ErrUserAbove.
func dropVoidGrants(tx *gorm.DB, row *models.User, by caller.Caller) error {
	holds, err := permissionsIn(tx, row)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(holds.Granted), func(p Permission) bool { return !Grantable(row.Role, p) })
	if err := writePermissions(tx, row.ID, kept, holds.Denied); err != nil {
		return err
	}
	if !by.Permissions.Covers(holds.Effective) {
		return ErrUserAbove
	}
	return nil
}

// permissionsIn reads the permissions of a user.
func permissionsIn(tx *gorm.DB, row *models.User) (UserPermissions, error) {
	var rows []models.UserPermission
	if err := tx.Where("user_id = ?", row.ID).Order("permission").Find(&rows).Error; err != nil {
		return UserPermissions{}, fmt.Errorf("read permissions: %w", err)
	}
	p := UserPermissions{Role: row.Role, Granted: []Permission{}, Denied: []Permission{}}
	for _, r := range rows {
		if r.Granted {
			p.Granted = append(p.Granted, Permission(r.Permission))
		} else {
			p.Denied = append(p.Denied, Permission(r.Permission))
		}
	}
	p.Effective = allowed(row.Role, p.Granted, p.Denied)
	return p, nil
}
