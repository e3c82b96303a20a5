package org

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"banca/internal/phone"
	"banca/models"
)

// MobilePayment is where payments to an entity arrive: an account at a bank that is addressed by a telephone
// and an identity document. Usually the operator sets it, and all below inherit it.
type MobilePayment struct {
	Bank       string `json:"bank"` // code, four digits
	Phone      string `json:"phone"`
	IDDocument string `json:"id_document"`
}

// TopUp bounds what an entity may pay into its own wallet without announcing it; both are decimals.
type TopUp struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

// MobilePayment returns where payments to the entity arrive; ok is false where no level sets it.
func (c Chain) MobilePayment() (m MobilePayment, ok bool) {
	for _, node := range slices.Backward(c) {
		if own := node.Finance.MobilePayment; own != nil {
			return *own, own.Phone != ""
		}
	}
	return m, false
}

// TopUp returns the bounds of the entity's own deposits; ok is false where no level sets any.
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
	TaxID string // as it was written
	Phone string // E.164, or "" without a valid number
}

// PayersByNumber returns the active entities whose tax id has this number (client_number in SQL).
func (s *Service) PayersByNumber(ctx context.Context, number string) ([]Payer, error) {
	return s.payers(ctx, `client_number(legal_info ->> 'tax_id') = ? AND status = ?`, number, models.StatusActive)
}

// Payer returns one entity as a payer; its TaxID is "" when it has none. Errors: ErrEntityNotFound.
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

// maxPayers bounds the entities that share a tax id and are read.
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

// ActiveAbove returns the SQL condition that an entity and its ancestors are active, like Chain.Active. table is the
// name or the alias of the entities in the statement.
func ActiveAbove(table string) string {
	return `NOT EXISTS (SELECT 1 FROM entities above WHERE above.status <> '` + models.StatusActive + `'
		AND above.id = ANY (string_to_array(trim(BOTH '/' FROM ` + table + `.path), '/')::uuid[]))`
}

// PaymentPhones returns the telephones, E.164, that payments to entities arrive at which are active with all above them.
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

// errNoRoot reports that the tree is not set up.
var errNoRoot = errors.New("org: there is not exactly one entity without a parent")

// Root returns the id of the one entity without a parent.
func (s *Service) Root(ctx context.Context) (uuid.UUID, error) {
	var ids []uuid.UUID
	if err := s.db.WithContext(ctx).Model(&models.Entity{}).Where("parent_id IS NULL").Limit(2).Pluck("id", &ids).Error; err != nil {
		return uuid.Nil, fmt.Errorf("find root: %w", err)
	}
	if len(ids) != 1 {
		return uuid.Nil, errNoRoot
	}
	return ids[0], nil
}
