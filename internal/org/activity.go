package org

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/models"
)

// logDetails are the details of an entry about a change of an entity.
type logDetails struct {
	Code    string           `json:"code"`
	Name    string           `json:"name"`
	Type    string           `json:"entity_type"`
	Changes activity.Changes `json:"-"`
}

func logDetailsOf(row *models.Entity) logDetails {
	return logDetails{Code: row.Code, Name: row.Name, Type: row.EntityType}
}

// recordTx adds an entry about an entity; at is where in the organisation it is seen. It is the last statement of its
// transaction.
func recordTx(
	ctx context.Context, tx *gorm.DB, action activity.Action, at uuid.UUID, row *models.Entity, t logDetails,
) error {
	return activity.RecordTx(ctx, tx, activity.Entry{
		Action: action, EntityID: at, Target: row.ID.String(), Details: t, Changes: t.Changes,
	})
}

// recordDocumentTx adds an entry about a document.
func recordDocumentTx(ctx context.Context, tx *gorm.DB, action activity.Action, d *models.EntityDocument) error {
	details := map[string]any{"kind": d.Kind, "name": d.Name, "content_type": d.ContentType, "size": d.Size}
	return activity.RecordTx(ctx, tx, activity.Entry{
		Action: action, EntityID: d.EntityID, Target: d.ID.String(), Details: details,
	})
}

// setGroups adds the changed keys of all groups of settings. Each commission rate is a key of its own.
func (t *logDetails) setGroups(before, after *models.Entity) error {
	for name := range allGroups() {
		old, err := keysOf(*groupColumn(before, name))
		if err != nil {
			return fmt.Errorf("%s of entity %s: %w", name, before.ID, err)
		}
		current, err := keysOf(*groupColumn(after, name))
		if err != nil {
			return fmt.Errorf("%s of entity %s: %w", name, after.ID, err)
		}
		for key := range union(old, current) {
			t.Changes.Set(name+"."+key, valueOf(old[key]), valueOf(current[key]))
		}
	}
	return nil
}

// keysOf reads a group into its keys. The list of rates becomes a key for each: its order means nothing, and a whole
// list would hide what changed.
func keysOf(raw []byte) (Group, error) {
	const list = "commissions"
	all := Group{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, err
		}
	}
	var rules []CommissionRule
	if rates, ok := all[list]; ok {
		if err := json.Unmarshal(rates, &rules); err != nil {
			return nil, err
		}
		delete(all, list)
	}
	for key, value := range all {
		value = slices.Clone(value)
		if err := value.Canonicalize(); err != nil {
			return nil, err
		}
		all[key] = value
	}
	for _, r := range rules {
		percent, err := json.Marshal(r.Percent)
		if err != nil {
			return nil, err
		}
		all[fmt.Sprintf("%s[%s/%s]", list, orAny(r.Category), orAny(r.BetType))] = percent
	}
	return all, nil
}

func orAny(name string) string {
	if name == "" {
		return "*"
	}
	return name
}

func union(a, b Group) map[string]bool {
	keys := make(map[string]bool, len(a)+len(b))
	for key := range a {
		keys[key] = true
	}
	for key := range b {
		keys[key] = true
	}
	return keys
}

func valueOf(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return v
}

func deviceOf(id *uuid.UUID) any {
	if id == nil {
		return nil
	}
	return id.String()
}

// recordCreated records the fields of a created entity.
func recordCreated(ctx context.Context, tx *gorm.DB, row *models.Entity) error {
	e, err := createdEntry(row)
	if err != nil {
		return err
	}
	return activity.RecordTx(ctx, tx, e)
}

func createdEntry(row *models.Entity) (e activity.Entry, err error) {
	t := logDetailsOf(row)
	t.Changes.Set("parent_id", nil, row.ParentID.String())
	t.Changes.Set("status", nil, row.Status)
	t.Changes.Set("default_device_id", nil, deviceOf(row.DefaultDeviceID))
	err = t.setGroups(&models.Entity{}, row)
	return activity.Entry{
		Action: activity.EntitiesCreate, EntityID: row.ID, Target: row.ID.String(), Details: t, Changes: t.Changes,
	}, err
}

// recordUpdated records the changed fields, if any.
func recordUpdated(ctx context.Context, tx *gorm.DB, before, after *models.Entity) error {
	t := logDetailsOf(after)
	t.Changes.Set("name", before.Name, after.Name)
	t.Changes.Set("code", before.Code, after.Code)
	t.Changes.Set("default_device_id", deviceOf(before.DefaultDeviceID), deviceOf(after.DefaultDeviceID))
	if err := t.setGroups(before, after); err != nil || len(t.Changes) == 0 {
		return err
	}
	return recordTx(ctx, tx, activity.EntitiesUpdate, after.ID, after, t)
}
