package org

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"

	"banca/models"
)

// loadChain reads an entity and its ancestors, root first.
func (s *Service) loadChain(ctx context.Context, entityID uuid.UUID) (Chain, error) {
	rows, err := chainRows(s.db.WithContext(ctx), "e.id = ?", entityID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, otter.ErrNotFound
	}
	chain := make(Chain, len(rows))
	for i := range rows {
		if chain[i], err = nodeOf(&rows[i]); err != nil {
			return nil, fmt.Errorf("entity %s: %w", rows[i].ID, err)
		}
	}
	return chain, nil
}

// logoSQL is the object of the newest logo of entity a.
const logoSQL = `coalesce((SELECT d.object_key FROM entity_documents d WHERE d.entity_id = a.id AND d.kind = 'logo' ORDER BY d.id DESC LIMIT 1), '') AS logo`

// chainRow is an entity with the object of its own logo.
type chainRow struct {
	models.Entity `gorm:"embedded"`
	Logo          string
}

// chainRows reads an entity e and its ancestors, root first, in one statement, so that a concurrent move cannot mix two
// chains.
func chainRows(db *gorm.DB, where string, args ...any) ([]chainRow, error) {
	var rows []chainRow
	err := db.Table("entities e").Select("a.*", logoSQL).Joins("JOIN entities a ON a.id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])").
		Where(where, args...).Order("length(a.path)").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load chain: %w", err)
	}
	return rows, nil
}

func nodeOf(row *chainRow) (Node, error) {
	n := Node{ID: row.ID, Path: row.Path, PathID: row.PathID, No: row.No, Type: row.EntityType, Name: row.Name, Code: row.Code, Status: row.Status}
	var err error
	if n.Finance, err = decodeFinance(row.FinanceInfo); err != nil {
		return n, err
	}
	if err = json.Unmarshal(row.ConfigInfo, &n.Config); err != nil {
		return n, fmt.Errorf("config_info: %w", err)
	}
	if err = json.Unmarshal(row.PrintInfo, &n.Print); err != nil {
		return n, fmt.Errorf("print_info: %w", err)
	}
	n.Print.Logo = row.Logo
	if err = json.Unmarshal(row.MessagingSettings, &n.Messaging); err != nil {
		return n, fmt.Errorf("messaging_settings: %w", err)
	}
	var contact ContactInfo
	if err = json.Unmarshal(row.ContactInfo, &contact); err != nil {
		return n, fmt.Errorf("contact_info: %w", err)
	}
	var at LocationInfo
	if err = json.Unmarshal(row.LocationInfo, &at); err != nil {
		return n, fmt.Errorf("location_info: %w", err)
	}
	n.Phone = contact.Phone
	n.Address = strings.Join(slices.DeleteFunc([]string{at.Address, at.City}, func(part string) bool { return part == "" }), ", ")
	return n, nil
}
