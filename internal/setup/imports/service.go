package imports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/risk"
	"banca/storage"
)

// Service imports ticket points.
type Service struct {
	PG     *storage.Postgres
	Org    *org.Service
	Auth   *auth.Service
	Ledger *ledger.Service
	Limits *risk.Keeper

	Currency    string // code of the currency of a row without one
	DefaultRate func(ctx context.Context) (percent string, err error)
}

// Try returns what an import of a file would do. It writes nothing and takes no lock. Errors: errors of Parse.
func (s *Service) Try(ctx context.Context, by caller.Caller, raw []byte) (*Plan, error) {
	f, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	plan, err := s.planFile(ctx, by, s.PG.Pool, s.PG.Gorm, f)
	if err != nil {
		return nil, err
	}
	plan.DryRun = true
	return plan, nil
}

// Run imports a file, everything in one transaction, or nothing. With ErrRefused the plan names the problems of all
// lines. Errors: errors of Parse, ErrRefused with the first problems, ErrUserAbove of auth, ErrSetAbove of risk.
func (s *Service) Run(ctx context.Context, by caller.Caller, raw []byte) (plan *Plan, err error) {
	f, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	err = s.PG.RetriedWithGorm(ctx, func(tx pgx.Tx, orm *gorm.DB) error {
		if err := storage.LockTree.TakeGorm(orm); err != nil {
			return err
		}
		if plan, err = s.planFile(ctx, by, tx, orm, f); err != nil {
			return err
		}
		if plan.Wrong > 0 {
			plan.DryRun = true
			return plan.refusal()
		}
		return s.writeTx(ctx, by, tx, orm, plan)
	})
	if err != nil {
		return plan, err
	}
	s.Org.Forget()
	s.Limits.ForgetLimits()
	return plan, nil
}

// writeTx writes a plan without problems in the order of the locks: the tree, the wallets, the entities.
func (s *Service) writeTx(ctx context.Context, by caller.Caller, tx pgx.Tx, orm *gorm.DB, p *Plan) error {
	if err := s.Org.CreateImportedTx(ctx, tx, orm, p.entities); err != nil {
		return err
	}
	if err := s.Auth.CreateUsersTx(ctx, by, tx, orm, p.users); err != nil {
		return err
	}
	if err := s.Limits.PutGeneralsTx(ctx, by, tx, p.limits); err != nil {
		return err
	}
	if err := s.Ledger.OpenWithCreditsTx(ctx, by, tx, p.credits); err != nil {
		return err
	}
	return s.Org.UpdateImportedTx(ctx, orm, p.entities)
}

// refusal is ErrRefused with the first problems, each at its line and column.
func (p *Plan) refusal() error {
	var details []apperr.Detail
	for i := range p.Lines {
		for _, d := range p.Lines[i].Problems {
			if len(details) < maxDetails {
				d.Location = fmt.Sprintf("line %d: %s", p.Lines[i].Line, d.Location)
				details = append(details, d)
			}
		}
	}
	return ErrRefused.WithDetails(details...)
}
