// Package setup prepares an empty migrated database for its operator: the operator's entity, currencies, banks, network
// codes, on request the games of the seed, and the first administrator.
//
// Invariant: the first administrator is the last row that is written, so a run that was interrupted is repeated, and a
// database with users is refused.
package setup

import (
	"context"
	"crypto/rand"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/setup/seed"
	"banca/storage"
)

// Service sets up a database.
type Service struct {
	PG   *storage.Postgres
	Org  *org.Service
	Auth *auth.Service
}

// Request is what a person decides.
type Request struct {
	Operator string // name of the operator's entity
	Code     string // of the operator's entity
	Games    bool   // add the games of the seed
	Admin    auth.NewUser
}

// Needed reports whether the database has no user yet.
func (s *Service) Needed(ctx context.Context) (bool, error) {
	has, err := s.Auth.HasUsers(ctx)
	return !has && err == nil, err
}

// Run sets the database up and returns the first administrator. Errors: auth.ErrHasUsers, org.ErrInvalidEntity,
// auth.ErrInvalidUser, auth.ErrWeakPassword.
func (s *Service) Run(ctx context.Context, r *Request) (auth.User, error) {
	if needed, err := s.Needed(ctx); err != nil {
		return auth.User{}, err
	} else if !needed {
		return auth.User{}, auth.ErrHasUsers
	}
	if err := seed.Reference(ctx, s.PG, r.Games); err != nil {
		return auth.User{}, err
	}
	return s.Auth.CreateFirst(ctx, &r.Admin, func(tx *gorm.DB) (uuid.UUID, error) {
		return s.Org.OperatorTx(ctx, tx, r.Operator, r.Code)
	})
}

// NewPassword returns a random password of 26 letters and digits.
func NewPassword() string { return rand.Text() }
