package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/phone"
	"banca/models"
	"banca/storage"
)

const maxUserName = 100

// NewUser is the input of CreateUser. At least one of Email, Phone and Identifier is given; Password may be empty for
// users who log in with a code that is sent to their phone.
type NewUser struct {
	EntityID   uuid.UUID
	Email      string
	Phone      string
	Identifier string
	Name       string
	Role       string
	AuthMethod string // empty means code, or password for a user with a password and no phone
	Password   string
}

// UserChange is what UpdateUser changes; nil stays as it is, and an empty name in a field of names removes it.
type UserChange struct {
	EntityID   *uuid.UUID
	Email      *string
	Phone      *string
	Identifier *string
	Name       *string
	Role       *string
	AuthMethod *string
	Status     *string
}

// PreparedUser is a valid NewUser with its id and the hash of its password.
type PreparedUser struct{ row models.User }

// CreateUser creates a user in the caller's scope with at most the caller's permissions. Errors: errors of PrepareUser
// and CreateUserTx.
func (s *Service) CreateUser(ctx context.Context, by caller.Caller, n *NewUser) (u User, err error) {
	p, err := s.PrepareUser(ctx, n)
	if err != nil {
		return User{}, err
	}
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		u, err = s.CreateUserTx(ctx, by, tx, p)
		return err
	})
	if err != nil {
		return User{}, fmt.Errorf("create user: %w", err)
	}
	return u, nil
}

// PrepareUser checks what does not depend on other rows, and hashes the password, which takes long. Errors:
// ErrInvalidUser, ErrWeakPassword, ErrBusy.
func (s *Service) PrepareUser(ctx context.Context, n *NewUser) (*PreparedUser, error) {
	row := models.User{ID: uuid.Must(uuid.NewV7()), Status: models.StatusActive, AuthMethod: models.AuthWhatsApp}
	if n.Password != "" && n.Phone == "" {
		row.AuthMethod = models.AuthPassword
	}
	ch := UserChange{
		EntityID: &n.EntityID, Email: &n.Email, Phone: &n.Phone, Identifier: &n.Identifier, Name: &n.Name,
		Role: &n.Role,
	}
	if n.AuthMethod != "" {
		ch.AuthMethod = &n.AuthMethod
	}
	password := n.Password != "" || n.AuthMethod == models.AuthPassword
	if err := ch.apply(&row, password); err != nil {
		return nil, err
	}
	if password {
		hash, err := s.newPassword(ctx, &row, n.Password)
		if err != nil {
			return nil, err
		}
		row.PasswordHash = hash
	}
	return &PreparedUser{row: row}, nil
}

// CreateUserTx creates a prepared user in the caller's transaction. Errors: ErrUserAbove, ErrUserExists, ErrInvalidUser
// for an entity out of scope.
func (s *Service) CreateUserTx(ctx context.Context, by caller.Caller, tx *gorm.DB, p *PreparedUser) (User, error) {
	row := p.row
	if err := mayPlace(tx, by, row.EntityID, row.Role); err != nil {
		return User{}, err
	}
	if err := tx.Create(&row).Error; err != nil {
		return User{}, taken(err)
	}
	if err := s.credentialsGiven(tx, row.ID, by); err != nil {
		return User{}, err
	}
	return userOf(&row), activity.RecordTx(ctx, tx, activity.Entry{
		Action: activity.UsersCreate, EntityID: row.EntityID, Target: row.ID.String(), Details: described(&row),
	})
}

// UpdateUser changes a user. Errors: as CreateUser, ErrOwnUser, ErrLastAdmin.
func (s *Service) UpdateUser(ctx context.Context, by caller.Caller, id uuid.UUID, ch *UserChange) (User, error) {
	var row models.User
	var ended []uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		before, err := s.manageable(tx, by, id)
		if err != nil {
			return err
		}
		row = before
		if err := ch.apply(&row, row.PasswordHash != ""); err != nil {
			return err
		}
		ruled := row.Role != before.Role || row.Status != before.Status || row.EntityID != before.EntityID
		switch {
		case ruled && id == by.UserID:
			return ErrOwnUser
		case row.Role != before.Role && !by.May(UsersGrant):
			return ErrForbidden
		}
		if row.Role != before.Role || row.EntityID != before.EntityID {
			if err := mayPlace(tx, by, row.EntityID, row.Role); err != nil {
				return err
			}
		}
		if row.Role != before.Role {
			if err := dropVoidGrants(tx, &row, by); err != nil {
				return err
			}
		}
		if err := keepAdmin(tx, &before, &row); err != nil {
			return err
		}
		row.UpdatedAt = s.clock.Now()
		if err := tx.Select("*").Omit("last_activity_at").Updates(&row).Error; err != nil {
			return taken(err)
		}
		if err := s.waysChanged(tx, by, &before, &row); err != nil {
			return err
		}
		if row.Status != models.StatusActive {
			if ended, err = s.endUserSessions(tx, id, endDisabled, uuid.Nil); err != nil {
				return err
			}
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.UsersUpdate, EntityID: row.EntityID, Target: id.String(),
			Changes: activity.Between(described(&before), described(&row)),
		})
	})
	if err != nil {
		return User{}, fmt.Errorf("update user: %w", err)
	}
	s.Forget() // a role, an entity or a name may be in any session
	s.ended(ctx, endDisabled, ended...)
	return userOf(&row), nil
}

// DeleteUser ends a user: the sessions end and the names are free for others, and the records that name the user stay
// true. Errors: ErrUserNotFound, ErrUserAbove, ErrOwnUser, ErrLastAdmin.
func (s *Service) DeleteUser(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	var ended []uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := s.manageable(tx, by, id)
		if err != nil {
			return err
		}
		if id == by.UserID {
			return ErrOwnUser
		}
		gone := row
		gone.Status = models.StatusInactive
		if err := keepAdmin(tx, &row, &gone); err != nil {
			return err
		}
		now := s.clock.Now()
		err = tx.Model(&models.User{ID: id}).UpdateColumns(map[string]any{
			"status": models.StatusInactive, "deleted_at": now, "updated_at": now, "password_hash": "",
			"totp_secret": nil, "totp_enabled_at": nil,
		}).Error
		if err != nil {
			return err
		}
		if ended, err = s.endUserSessions(tx, id, endDisabled, uuid.Nil); err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.UsersDelete, EntityID: row.EntityID, Target: id.String(), Details: described(&row),
		})
	})
	if err != nil {
		return fmt.Errorf("delete user: %w", err)
	}
	s.ended(ctx, endDisabled, ended...)
	return nil
}

// manageable locks a user whom the caller may change: one in the caller's scope, without a permission that the caller
// lacks. Such changes are serialised by storage.LockUsers. Errors: ErrUserNotFound, ErrUserAbove.
func (s *Service) manageable(tx *gorm.DB, by caller.Caller, id uuid.UUID) (models.User, error) {
	if err := storage.LockUsers.TakeGorm(tx); err != nil {
		return models.User{}, err
	}
	row, err := lockUser(tx, id)
	if err != nil {
		return models.User{}, err
	}
	scope, err := s.options.Scope(tx.Statement.Context, row.EntityID)
	if err != nil {
		return models.User{}, err
	}
	if !by.Scope.Contains(scope.Path()) {
		return models.User{}, ErrUserNotFound
	}
	holds, err := permissionsIn(tx, &row)
	if err != nil {
		return models.User{}, err
	}
	if !by.Permissions.Covers(holds.Effective) {
		return models.User{}, ErrUserAbove
	}
	return row, nil
}

// mayPlace reports whether the caller may have a user of a role in an entity, also one that the transaction created.
func mayPlace(tx *gorm.DB, by caller.Caller, entity uuid.UUID, role string) error {
	var inScope int64
	if err := tx.Model(&models.Entity{}).Where("id = ? AND path LIKE ?", entity, by.Scope.Pattern()).Count(&inScope).Error; err != nil {
		return fmt.Errorf("entity of a user: %w", err)
	}
	if inScope == 0 {
		return ErrInvalidUser.WithDetails(apperr.Detail{Location: "entity_id", Message: "no such entity in your part of the organisation"})
	}
	if !by.Permissions.Covers(RolePermissions(role)) {
		return ErrUserAbove
	}
	return nil
}

// keepAdmin refuses to take the last active administrator from the root.
func keepAdmin(tx *gorm.DB, before, after *models.User) error {
	active := func(u *models.User) bool { return u.Role == models.RoleAdmin && u.Status == models.StatusActive }
	if !active(before) || active(after) && after.EntityID == before.EntityID {
		return nil
	}
	var admins []uuid.UUID
	err := tx.Model(&models.User{}).Joins("JOIN entities e ON e.id = users.entity_id").
		Where("e.parent_id IS NULL AND users.role = 'ADMIN' AND users.status = 'active' AND users.deleted_at IS NULL").Limit(2).Pluck("users.id", &admins).Error
	if err != nil {
		return err
	}
	if len(admins) == 1 && admins[0] == before.ID {
		return ErrLastAdmin
	}
	return nil
}

// lockUser reads a user for a change. Errors: ErrUserNotFound.
func lockUser(tx *gorm.DB, id uuid.UUID) (models.User, error) {
	var row models.User
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ? AND deleted_at IS NULL", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return models.User{}, ErrUserNotFound
	}
	return row, err
}

// apply writes the change into a row and names all wrong fields. password reports whether the user has a password, or has to type one.
func (ch *UserChange) apply(row *models.User, password bool) error {
	var wrong []apperr.Detail
	refuse := func(location string, message apperr.Message) {
		wrong = append(wrong, apperr.Detail{Location: location, Message: message})
	}
	if ch.EntityID != nil {
		row.EntityID = *ch.EntityID
	}
	if ch.Name != nil {
		row.Name = strings.TrimSpace(*ch.Name)
		if row.Name == "" || utf8.RuneCountInString(row.Name) > maxUserName || strings.ContainsFunc(row.Name, unicode.IsControl) {
			refuse("name", "expected 1 to 100 characters")
		}
	}
	choice := func(location string, given *string, into *string, of ...string) {
		if given == nil {
			return
		}
		if *into = *given; !slices.Contains(of, *given) {
			refuse(location, apperr.Messagef("expected one of %s", strings.Join(of, ", ")))
		}
	}
	choice("role", ch.Role, &row.Role, models.RoleAdmin, models.RoleTaquilla, models.RoleSocio)
	choice("auth_method", ch.AuthMethod, &row.AuthMethod, models.AuthWhatsApp, models.AuthPassword)
	choice("status", ch.Status, &row.Status, models.StatusActive, models.StatusInactive)
	ch.applyNames(row, refuse)
	switch {
	case !password && (row.AuthMethod != models.AuthWhatsApp || row.Phone == nil):
		refuse("phone", "a user without a password needs a phone for one-time codes")
	case row.Email == nil && row.Phone == nil && row.Identifier == nil:
		refuse("email", "a user needs an email, a phone or an identifier to log in with")
	}
	if wrong != nil {
		return ErrInvalidUser.WithDetails(wrong...)
	}
	return nil
}

// applyNames writes the names that a user logs in with.
func (ch *UserChange) applyNames(row *models.User, refuse func(location string, message apperr.Message)) {
	if ch.Email != nil {
		row.Email = models.Optional(fold(*ch.Email))
		if at := strings.IndexByte(fold(*ch.Email), '@'); row.Email != nil && (at < 1 || at == len(*row.Email)-1 || !storableName(*row.Email)) {
			refuse("email", "expected an e-mail address")
		}
	}
	if ch.Identifier != nil {
		row.Identifier = models.Optional(fold(*ch.Identifier))
		if row.Identifier != nil && !storableName(*row.Identifier) {
			refuse("identifier", "expected up to 200 characters without spaces")
		}
	}
	if ch.Phone != nil {
		row.Phone = nil
		if *ch.Phone != "" {
			number, err := phone.Normalise(*ch.Phone)
			if err != nil {
				refuse("phone", phone.Expected)
			}
			row.Phone = &number
		}
	}
}

func storableName(text string) bool {
	return len(text) <= maxLoginName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
}

// taken maps a unique violation of a name to ErrUserExists.
func taken(err error) error {
	if key := storage.ViolatedUnique(err); key != "" {
		location, _ := strings.CutPrefix(strings.TrimSuffix(key, "_key"), "users_")
		return ErrUserExists.WithDetails(apperr.Detail{Location: location, Message: "taken"})
	}
	return err
}

// described returns the fields of a user for the activity log, without secrets.
func described(row *models.User) map[string]any {
	u := userOf(row)
	return map[string]any{
		"name": u.Name, "role": u.Role, "status": u.Status, "auth_method": u.AuthMethod, "email": u.Email,
		"phone": u.Phone, "identifier": u.Identifier, "entity_id": u.EntityID,
	}
}
