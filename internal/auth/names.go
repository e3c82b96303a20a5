package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// Names returns the entity of each name that a user can log in with: e-mail address, telephone and identifier, as
// PreparedUser.Names has them.
func (s *Service) Names(ctx context.Context, db *gorm.DB) (map[string]uuid.UUID, error) {
	var rows []models.User
	err := db.WithContext(ctx).Select("entity_id", "email", "phone", "identifier").Where("deleted_at IS NULL").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("names of users: %w", err)
	}
	all := make(map[string]uuid.UUID, len(rows))
	for i := range rows {
		for _, name := range namesOf(&rows[i]) {
			all[name] = rows[i].EntityID
		}
	}
	return all, nil
}

// Names are the names that the user can log in with.
func (p *PreparedUser) Names() []string { return namesOf(&p.row) }

func namesOf(row *models.User) (names []string) {
	for _, name := range []*string{row.Email, row.Phone, row.Identifier} {
		if name != nil {
			names = append(names, *name)
		}
	}
	return names
}

// LoginName is a name that the user can log in with, the shortest kind to type first; empty for a user who does not exist.
func (s *Service) LoginName(ctx context.Context, user uuid.UUID) (name string, err error) {
	err = s.pg.Pool.QueryRow(ctx, "SELECT coalesce(identifier, phone, email, '') FROM users WHERE id = $1", user).Scan(&name)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("login name: %w", err)
	}
	return name, nil
}

// usersInsert is the number of users of one INSERT.
const usersInsert = 250

// CreateUsersTx is CreateUserTx for many users of entities in the caller's scope, of which the caller made sure. tx and
// orm are one transaction. Errors: ErrUserAbove, ErrUserExists.
func (s *Service) CreateUsersTx(ctx context.Context, by caller.Caller, tx pgx.Tx, orm *gorm.DB, list []*PreparedUser) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]*models.User, len(list))
	given := make([]*models.AccountCredential, len(list))
	entries := make([]activity.Entry, len(list))
	now := s.clock.Now()
	for i, p := range list {
		row := p.row
		if !by.Permissions.Covers(RolePermissions(row.Role)) {
			return ErrUserAbove
		}
		rows[i] = &row
		given[i] = &models.AccountCredential{UserID: row.ID, GivenBy: by.UserID, GivenAt: now}
		entries[i] = activity.Entry{Action: activity.UsersCreate, EntityID: row.EntityID, Target: row.ID.String(), Details: described(&row)}
	}
	orm = orm.WithContext(ctx)
	if err := orm.CreateInBatches(rows, usersInsert).Error; err != nil {
		return fmt.Errorf("create users: %w", taken(err))
	}
	if by.UserID != uuid.Nil {
		if err := orm.CreateInBatches(given, usersInsert).Error; err != nil {
			return fmt.Errorf("credentials of users: %w", err)
		}
	}
	return activity.RecordAllTx(ctx, tx, entries)
}
