package bank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Bank is an issuing bank.
type Bank struct {
	Code   string // four digits
	Name   string
	Status string
}

// NetworkCode is a value of CodigoRed with its meaning. Only 00 is an approval.
type NetworkCode struct {
	Code     string
	Meaning  string
	Approved bool
}

// State is approved or refused.
func (n *NetworkCode) State() string {
	if n.Approved {
		return "approved"
	}
	return "refused"
}

// maxName bounds names and meanings, in characters.
const maxName = 100

// Banks returns a page of the banks, ordered by code, and the number of all. status "" selects all banks.
func (s *Service) Banks(ctx context.Context, status string, limit, offset int) ([]Bank, int64, error) {
	q := s.PG.Gorm.WithContext(ctx).Model(&models.Bank{})
	if status != "" {
		q = q.Where("status = ?", status)
	}
	list, total, err := storage.Find[Bank](q, "code", limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list banks: %w", err)
	}
	return list, total, nil
}

// BankNames returns a function that names the bank with a code; an unknown one keeps its code.
func (s *Service) BankNames(ctx context.Context) (func(code string) string, error) {
	list, _, err := s.Banks(ctx, "", maxDirectory, 0)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(list))
	for _, b := range list {
		names[b.Code] = b.Name
	}
	return func(code string) string { return cmp.Or(names[code], code) }, nil
}

// AddBank adds a bank. Errors: ErrBankExists, ErrInvalidEntry, ErrOperatorOnly.
func (s *Service) AddBank(ctx context.Context, by caller.Caller, b Bank) error {
	return s.changeDirectory(ctx, by, checkBank(&b), ErrBankExists, entry{tableBanks, activity.BanksCreate, b.Code},
		`INSERT INTO banks (code, name, status) VALUES ($1, $2, $3)`, b.Code, b.Name, b.Status)
}

// UpdateBank changes a bank's name and status. Errors: ErrBankNotFound, ErrInvalidEntry, ErrOperatorOnly.
func (s *Service) UpdateBank(ctx context.Context, by caller.Caller, b Bank) error {
	return s.changeDirectory(ctx, by, checkBank(&b), ErrBankNotFound, entry{tableBanks, activity.BanksUpdate, b.Code},
		`UPDATE banks SET name = $2, status = $3, updated_at = $4 WHERE code = $1`, b.Code, b.Name, b.Status, s.Clock.Now())
}

// DeleteBank deletes a bank that no payment and no payment request refers to. Errors: ErrBankNotFound, ErrBankInUse,
// ErrOperatorOnly.
func (s *Service) DeleteBank(ctx context.Context, by caller.Caller, code string) error {
	var used bool
	if err := s.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM bank_payments WHERE bank_code = $1) OR EXISTS (
		SELECT 1 FROM payment_requests WHERE bank_code = $1)`, code).Scan(&used); err != nil {
		return fmt.Errorf("uses of bank: %w", err)
	}
	if used && requireOperator(by) == nil {
		return ErrBankInUse
	}
	return s.changeDirectory(ctx, by, nil, ErrBankNotFound, entry{tableBanks, activity.BanksDelete, code},
		`DELETE FROM banks WHERE code = $1`, code)
}

func checkBank(b *Bank) error {
	code, err := ParseBankCode(b.Code)
	b.Name = strings.TrimSpace(b.Name)
	if b.Status == "" {
		b.Status = models.BankActive
	}
	if err != nil || code != b.Code || !validName(b.Name) || (b.Status != models.BankActive && b.Status != models.BankRetired) {
		return ErrInvalidEntry
	}
	return nil
}

// validName reports whether a name is not empty, has at most maxName characters and can be stored.
func validName(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= maxName && models.Storable(text)
}

// NetworkCodes returns a page of the network codes, ordered by code, and the number of all.
func (s *Service) NetworkCodes(ctx context.Context, limit, offset int) ([]NetworkCode, int64, error) {
	q := s.PG.Gorm.WithContext(ctx).Model(&models.NetworkCode{})
	list, total, err := storage.Find[NetworkCode](q, "code", limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list network codes: %w", err)
	}
	return list, total, nil
}

// AddNetworkCode adds the meaning of a code. Errors: ErrCodeExists, ErrInvalidEntry, ErrOperatorOnly.
func (s *Service) AddNetworkCode(ctx context.Context, by caller.Caller, code, meaning string) error {
	invalid, e := checkCode(code, &meaning), entry{tableCodes, activity.NetworkCodesCreate, code}
	return s.changeDirectory(ctx, by, invalid, ErrCodeExists, e,
		`INSERT INTO network_codes (code, meaning) VALUES ($1, $2)`, code, meaning)
}

// UpdateNetworkCode changes the meaning of a code. Errors: ErrCodeNotFound, ErrInvalidEntry, ErrOperatorOnly.
func (s *Service) UpdateNetworkCode(ctx context.Context, by caller.Caller, code, meaning string) error {
	invalid, e := checkCode(code, &meaning), entry{tableCodes, activity.NetworkCodesUpdate, code}
	return s.changeDirectory(ctx, by, invalid, ErrCodeNotFound, e,
		`UPDATE network_codes SET meaning = $2, updated_at = $3 WHERE code = $1`, code, meaning, s.Clock.Now())
}

// DeleteNetworkCode removes a code. Errors: ErrCodeNotFound, ErrCodeFixed, ErrOperatorOnly.
func (s *Service) DeleteNetworkCode(ctx context.Context, by caller.Caller, code string) error {
	if code == Approved && requireOperator(by) == nil {
		return ErrCodeFixed
	}
	return s.changeDirectory(ctx, by, nil, ErrCodeNotFound, entry{tableCodes, activity.NetworkCodesDelete, code},
		`DELETE FROM network_codes WHERE code = $1`, code)
}

func checkCode(code string, meaning *string) error {
	*meaning = strings.TrimSpace(*meaning)
	if _, err := ParseNetworkCode(code); err != nil || !validName(*meaning) {
		return ErrInvalidEntry
	}
	return nil
}

// entry is the entry of the activity log for a change of the banks or network codes.
type entry struct {
	table  string
	action activity.Action
	code   string
}

// Tables of the directory.
const (
	tableBanks = "banks"
	tableCodes = "network_codes"
)

// changeDirectory runs a statement that must change one row of the banks or network codes. It returns refusal if the
// statement changes no row or violates a unique constraint.
func (s *Service) changeDirectory(
	ctx context.Context, by caller.Caller, invalid, refusal error, e entry, sql string, args ...any,
) error {
	if err := requireOperator(by); err != nil {
		return err
	}
	if invalid != nil {
		return invalid
	}
	err := s.PG.InTx(ctx, func(tx pgx.Tx) error {
		before, err := directoryRow(ctx, tx, e.table, e.code)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return refusal
		}
		after, err := directoryRow(ctx, tx, e.table, e.code)
		if err != nil {
			return err
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: e.action, EntityID: by.EntityID, Target: e.code, Changes: activity.Between(before, after),
		})
	})
	switch {
	case errors.Is(err, refusal):
		return refusal
	case storage.ViolatedUnique(err) != "":
		return refusal
	case err != nil:
		return fmt.Errorf("change directory: %w", err)
	}
	s.Forget()
	return nil
}
