package org

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"banca/internal/platform/phone"
	"banca/models"
)

// MobilePayment is the bank account to which payments to an entity are made, identified by telephone number and identity
// document. Usually only the operator sets it.
type MobilePayment struct {
	Bank       string `json:"bank"` // code, four digits
	Phone      string `json:"phone"`
	IDDocument string `json:"id_document"`
}

// TopUp bounds the deposits of an entity to its own wallet without a payment request. Both bounds are decimals.
type TopUp struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

// MobilePayment returns the account for payments to the entity. ok is false if it has none.
func (c Chain) MobilePayment() (m MobilePayment, ok bool) {
	for _, node := range slices.Backward(c) {
		if own := node.Finance.MobilePayment; own != nil {
			return *own, own.Phone != ""
		}
	}
	return m, false
}

// TopUp returns the bounds of the entity's deposits to its own wallet. ok is false if no entity of the chain sets them.
func (c Chain) TopUp() (t TopUp, ok bool) {
	for _, node := range slices.Backward(c) {
		if own := node.Finance.TopUp; own != nil {
			return *own, true
		}
	}
	return t, false
}

// Payer is an entity as the payer of mobile payments: its legal identity and telephone.
type Payer struct {
	ID    uuid.UUID
	TaxID string // as entered
	Phone string // E.164, or "" if missing or invalid
}

// PayersByNumber returns the active entities whose tax id has this number (client_number in SQL).
func (s *Service) PayersByNumber(ctx context.Context, number string) ([]Payer, error) {
	return s.payers(ctx, `client_number(legal_info ->> 'tax_id') = ? AND status = ?`, number, models.StatusActive)
}

// Payer returns one entity as a payer. TaxID is "" if it has none. Errors: ErrEntityNotFound.
func (s *Service) Payer(ctx context.Context, id uuid.UUID) (Payer, error) {
	list, err := s.payers(ctx, `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = ErrEntityNotFound
	}
	if err != nil {
		return Payer{}, err
	}
	return list[0], nil
}

// maxPayers bounds the entities with the same tax id that are read.
const maxPayers = 10

func (s *Service) payers(ctx context.Context, where string, args ...any) ([]Payer, error) {
	var list []Payer
	err := s.db.WithContext(ctx).Model(&models.Entity{}).
		Select(`id, coalesce(legal_info ->> 'tax_id', '') AS tax_id, coalesce(contact_info ->> 'phone', '') AS phone`).
		Where(where, args...).Order("id").Limit(maxPayers).Scan(&list).Error
	if err != nil {
		return nil, fmt.Errorf("find payers: %w", err)
	}
	for i := range list {
		number, err := phone.Normalise(list[i].Phone)
		if err != nil {
			number = ""
		}
		list[i].Phone = number
	}
	return list, nil
}

// ActiveAbove returns the SQL condition that an entity and all its ancestors are active, like Chain.Active. table is the
// name or alias of the table entities in the statement.
func ActiveAbove(table string) string {
	return `NOT EXISTS (SELECT 1 FROM entities above WHERE above.status <> '` + models.StatusActive + `'
		AND above.id = ANY (string_to_array(trim(BOTH '/' FROM ` + table + `.path), '/')::uuid[]))`
}

// PaymentPhones returns the telephone numbers, in E.164, of the accounts for mobile payments of all entities that are
// active with all their ancestors.
func (s *Service) PaymentPhones(ctx context.Context) ([]string, error) {
	var written []string
	err := s.db.WithContext(ctx).Model(&models.Entity{}).Distinct().
		Where(ActiveAbove("entities")+` AND finance_info #>> '{mobile_payment,phone}' IS NOT NULL`).
		Order("1").Pluck(`finance_info #>> '{mobile_payment,phone}'`, &written).Error
	if err != nil {
		return nil, fmt.Errorf("payment telephones: %w", err)
	}
	var list []string
	for _, text := range written {
		if number, err := phone.Normalise(text); err == nil {
			list = append(list, number)
		}
	}
	return list, nil
}

// errNoRoot means that the tree has no root, or several.
var errNoRoot = errors.New("org: there is not exactly one entity without a parent")

// Root returns the id of the operator, the entity without a parent. It never changes, so it is read once.
func (s *Service) Root(ctx context.Context) (uuid.UUID, error) {
	if known := s.root.Load(); known != nil {
		return *known, nil
	}
	var ids []uuid.UUID
	if err := s.db.WithContext(ctx).Model(&models.Entity{}).Where("parent_id IS NULL").Limit(2).Pluck("id", &ids).Error; err != nil {
		return uuid.Nil, fmt.Errorf("find root: %w", err)
	}
	if len(ids) != 1 {
		return uuid.Nil, errNoRoot
	}
	s.root.Store(&ids[0])
	return ids[0], nil
}
