package org

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Entity is a node of the tree with its own settings; Effective has the inherited ones.
type Entity struct {
	ID              uuid.UUID
	Type            string
	Name            string
	Code            string
	ParentID        uuid.UUID // Nil for the root
	Path            string
	Status          string
	Finance         Finance
	Config          Config
	Legal           LegalInfo
	Print           PrintInfo
	Social          SocialInfo
	Messaging       MessagingSettings
	Contact         ContactInfo
	Location        LocationInfo
	DefaultDeviceID uuid.UUID // Nil for none
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// rank returns the position of a type, 0 for the highest, or -1 for an unknown type.
func rank(kind string) int {
	return slices.Index(types(), kind)
}

// TypesBelow returns the types that descendants of a type may have, highest first.
func TypesBelow(kind string) []string { return types()[rank(kind)+1:] }

// types returns the types of entities, highest first.
func types() []string {
	return []string{models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
}

// EntityFilter selects entities of a subtree; zero fields select all.
type EntityFilter struct {
	Status   string
	Type     string
	ParentID uuid.UUID
	Text     string // in name or code
	Sort     string // code, name, created_at or -created_at
	Limit    int
	Offset   int
}

// Entity returns one entity in the caller's scope. Errors: ErrEntityNotFound.
func (s *Service) Entity(ctx context.Context, by caller.Caller, id uuid.UUID) (*Entity, error) {
	row, err := rowInScope(s.db.WithContext(ctx), by, id)
	if err != nil {
		return nil, err
	}
	return entityOf(row)
}

// Names returns the names of entities by id, in any scope. An unknown id is missing.
func (s *Service) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	var rows []models.Entity
	if err := s.db.WithContext(ctx).Select("id", "name").Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("names of entities: %w", err)
	}
	names := make(map[uuid.UUID]string, len(rows))
	for i := range rows {
		names[rows[i].ID] = rows[i].Name
	}
	return names, nil
}

// Label is what a list shows of an entity.
type Label struct{ Name, Code, Type string }

// Labels returns the labels of entities by id, in any scope. An unknown id is missing.
func (s *Service) Labels(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Label, error) {
	var rows []models.Entity
	if err := s.db.WithContext(ctx).Select("id", "name", "code", "entity_type").Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("labels of entities: %w", err)
	}
	labels := make(map[uuid.UUID]Label, len(rows))
	for i := range rows {
		labels[rows[i].ID] = Label{Name: rows[i].Name, Code: rows[i].Code, Type: rows[i].EntityType}
	}
	return labels, nil
}

// Entities returns a page of the entities in the caller's scope that a filter selects, and the number of all.
func (s *Service) Entities(ctx context.Context, by caller.Caller, f *EntityFilter) ([]Entity, int64, error) {
	q := s.db.WithContext(ctx).Model(&models.Entity{}).Where("path LIKE ?", by.Scope.Pattern())
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Type != "" {
		q = q.Where("entity_type = ?", f.Type)
	}
	if f.ParentID != uuid.Nil {
		q = q.Where("parent_id = ?", f.ParentID)
	}
	if f.Text != "" {
		pattern := storage.Containing(f.Text)
		q = q.Where("name ILIKE ? OR code ILIKE ?", pattern, pattern)
	}
	rows, total, err := storage.Find[models.Entity](q, orderOf(f.Sort), f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list entities: %w", err)
	}
	list := make([]Entity, len(rows))
	for i := range rows {
		e, err := entityOf(&rows[i])
		if err != nil {
			return nil, 0, err
		}
		list[i] = *e
	}
	return list, total, nil
}

func orderOf(sort string) string {
	switch sort {
	case "name":
		return "name, id"
	case "created_at":
		return "created_at, id"
	case "-created_at":
		return "created_at DESC, id DESC"
	default:
		return "code"
	}
}

// TreeNode is an entity of a tree with its children.
type TreeNode struct {
	ID       uuid.UUID
	Type     string
	Name     string
	Code     string
	Status   string
	Children []*TreeNode
}

// Tree returns an entity in the caller's scope with all its descendants. Children are ordered by code. Errors:
// ErrEntityNotFound.
func (s *Service) Tree(ctx context.Context, by caller.Caller, id uuid.UUID) (*TreeNode, error) {
	top, err := rowInScope(s.db.WithContext(ctx), by, id)
	if err != nil {
		return nil, err
	}
	var rows []models.Entity
	err = s.db.WithContext(ctx).Select("id", "entity_type", "name", "code", "status", "path").
		Where("path LIKE ?", top.Path+"%").Order("length(path), code").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load tree: %w", err)
	}
	byPath := make(map[string]*TreeNode, len(rows))
	for i := range rows {
		r := &rows[i]
		n := &TreeNode{ID: r.ID, Type: r.EntityType, Name: r.Name, Code: r.Code, Status: r.Status}
		byPath[r.Path] = n
		if above, ok := byPath[strings.TrimSuffix(r.Path, r.ID.String()+"/")]; ok {
			above.Children = append(above.Children, n)
		}
	}
	if root, ok := byPath[top.Path]; ok {
		return root, nil
	}
	return nil, ErrEntityNotFound
}

// rowInScope reads a row in the caller's scope. Errors: ErrEntityNotFound.
func rowInScope(db *gorm.DB, by caller.Caller, id uuid.UUID) (*models.Entity, error) {
	var row models.Entity
	err := db.Where("id = ? AND path LIKE ?", id, by.Scope.Pattern()).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, ErrEntityNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	return &row, nil
}

func entityOf(row *models.Entity) (*Entity, error) {
	e := &Entity{
		ID: row.ID, Type: row.EntityType, Name: row.Name, Code: row.Code, Path: row.Path, Status: row.Status,
		CreatedAt: row.CreatedAt.UTC().Truncate(time.Microsecond), UpdatedAt: row.UpdatedAt.UTC().Truncate(time.Microsecond), // the precision of Postgres
	}
	if row.ParentID != nil {
		e.ParentID = *row.ParentID
	}
	if row.DefaultDeviceID != nil {
		e.DefaultDeviceID = *row.DefaultDeviceID
	}
	for _, g := range []struct {
		name string
		raw  []byte
		into any
	}{
		{GroupFinance, row.FinanceInfo, &e.Finance},
		{GroupConfig, row.ConfigInfo, &e.Config},
		{GroupLegal, row.LegalInfo, &e.Legal},
		{GroupPrint, row.PrintInfo, &e.Print},
		{GroupSocial, row.SocialInfo, &e.Social},
		{GroupMessaging, row.MessagingSettings, &e.Messaging},
		{GroupContact, row.ContactInfo, &e.Contact},
		{GroupLocation, row.LocationInfo, &e.Location},
	} {
		if len(g.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(g.raw, g.into); err != nil {
			return nil, fmt.Errorf("%s of entity %s: %w", g.name, row.ID, err)
		}
	}
	return e, nil
}
