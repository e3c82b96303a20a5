package exports

import (
	"encoding/json"
	"fmt"
	"slices"

	"banca/internal/platform/apperr"
)

// Filter holds the parameters of a report, as its operation takes them. "" sets none.
type Filter struct {
	EntityID   string `json:"entityId,omitempty"`
	From       string `json:"from,omitempty"`
	To         string `json:"to,omitempty"`
	Currency   string `json:"currency,omitempty"`
	CategoryID string `json:"category_id,omitempty"`
	GameID     string `json:"game_id,omitempty"`
	DrawID     string `json:"draw_id,omitempty"`
	WalletID   string `json:"wallet_id,omitempty"`
	GroupBy    string `json:"group_by,omitempty"`
	ParentID   string `json:"parent_id,omitempty"`
	Week       string `json:"week,omitempty"`
	Status     string `json:"status,omitempty"`
	Search     string `json:"search,omitempty"`
}

// Names of the fields of a filter.
const (
	FieldEntity   = "entityId"
	FieldFrom     = "from"
	FieldTo       = "to"
	FieldCurrency = "currency"
	FieldCategory = "category_id"
	FieldGame     = "game_id"
	FieldDraw     = "draw_id"
	FieldWallet   = "wallet_id"
	FieldGroup    = "group_by"
	FieldParent   = "parent_id"
	FieldWeek     = "week"
	FieldStatus   = "status"
	FieldSearch   = "search"
)

// field is a field of a filter with its value.
type field struct{ name, value string }

// fields returns the fields in a fixed order.
func (f *Filter) fields() []field {
	return []field{
		{FieldEntity, f.EntityID},
		{FieldFrom, f.From},
		{FieldTo, f.To},
		{FieldCurrency, f.Currency},
		{FieldCategory, f.CategoryID},
		{FieldGame, f.GameID},
		{FieldDraw, f.DrawID},
		{FieldWallet, f.WalletID},
		{FieldGroup, f.GroupBy},
		{FieldParent, f.ParentID},
		{FieldWeek, f.Week},
		{FieldStatus, f.Status},
		{FieldSearch, f.Search},
	}
}

// check refuses fields that the report does not have, and missing ones. Errors: ErrFilter.
func (s *Source) check(f *Filter) error {
	var details []apperr.Detail
	for _, field := range f.fields() {
		switch {
		case field.value != "" && !slices.Contains(s.Takes, field.name):
			details = append(details, apperr.Detail{Location: "filter." + field.name, Message: "the report does not have this field"})
		case field.value == "" && slices.Contains(s.Needs, field.name):
			details = append(details, apperr.Detail{Location: "filter." + field.name, Message: "is required"})
		}
	}
	if len(details) > 0 {
		return ErrFilter.WithDetails(details...)
	}
	return nil
}

func (f *Filter) encode() (string, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("encode filter: %w", err)
	}
	return string(text), nil
}
