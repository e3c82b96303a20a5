package catalog

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/models"
)

// gameDocument is a JSON object that the domain examines.
type gameDocument map[string]jsontext.Value

// Schema implements huma.SchemaProvider.
func (gameDocument) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "Of a game's field: see GET /games/schemas/{field}."}
}

// raw writes the document; nil for none.
func (d gameDocument) raw() (json.RawMessage, error) {
	if d == nil {
		return nil, nil
	}
	return jsonx.Marshal(d, jsonx.Deterministic(true))
}

func documentBodyOf(raw []byte) (gameDocument, error) {
	d := gameDocument{}
	err := jsonx.Unmarshal(raw, &d)
	return d, err
}

// fullGame is a game with the fields that are edited.
type fullGame struct {
	ID              uuid.UUID     `json:"id"`
	CategoryID      uuid.UUID     `json:"category_id"`
	Category        string        `json:"category" doc:"code of the category"`
	Name            string        `json:"name"`
	ShortCode       string        `json:"short_code"`
	Position        int           `json:"position"`
	Status          string        `json:"status" enum:"active,suspended,inactive"`
	LogoURL         *string       `json:"logo_url"`
	SaleStopSeconds *int          `json:"sale_stop_seconds"`
	SaleStopTime    *int          `json:"sale_stop_time" doc:"the same as sale_stop_seconds"`
	RuleVersion     int           `json:"rule_version"`
	Mechanics       gameDocument  `json:"mechanics"`
	ScheduleConfig  gameDocument  `json:"schedule_config"`
	BettingRules    gameDocument  `json:"betting_rules"`
	Metadata        gameDocument  `json:"metadata"`
	APIConfig       *gameDocument `json:"api_config" doc:"null for who may not change games"`
	CreatedAt       time.Time     `json:"created_at"`
	UpdatedAt       time.Time     `json:"updated_at"`
}

func (o *operations) fullGame(ctx context.Context, by caller.Caller, g *models.Game) (fullGame, error) {
	full := fullGame{
		ID: g.ID, CategoryID: g.CategoryID, Name: g.Name, ShortCode: g.ShortCode, Position: g.Position,
		Status: g.Status, LogoURL: g.LogoURL,
		SaleStopSeconds: g.SaleStopSeconds, SaleStopTime: g.SaleStopSeconds, RuleVersion: g.RuleVersion,
		CreatedAt: g.CreatedAt.UTC(), UpdatedAt: g.UpdatedAt.UTC(),
	}
	c, err := o.catalog.Category(ctx, g.CategoryID)
	if err != nil {
		return full, err
	}
	full.Category = c.Code
	for _, field := range []struct {
		raw []byte
		to  *gameDocument
	}{
		{g.Mechanics, &full.Mechanics}, {g.ScheduleConfig, &full.ScheduleConfig}, {g.BettingRules, &full.BettingRules},
		{g.Metadata, &full.Metadata},
	} {
		if *field.to, err = documentBodyOf(field.raw); err != nil {
			return full, err
		}
	}
	if !by.May(auth.CatalogWrite) || !by.IsOperator() {
		return full, nil
	}
	sources, err := documentBodyOf(g.APIConfig)
	full.APIConfig = &sources
	return full, err
}

// GameFields are the common fields of a new game and a changed one.
type GameFields struct {
	SaleStop

	Position       *int         `json:"position,omitempty" minimum:"0" doc:"its place among the games, from 0"`
	Mechanics      gameDocument `json:"mechanics,omitempty"`
	ScheduleConfig gameDocument `json:"schedule_config,omitempty"`
	BettingRules   gameDocument `json:"betting_rules,omitempty"`
	Metadata       gameDocument `json:"metadata,omitempty"`
	APIConfig      gameDocument `json:"api_config,omitempty"`
	Force          bool         `json:"force,omitempty" doc:"let rules stand that pay out more than they take in; for who may"`
	ForceReason    string       `json:"force_reason,omitempty" maxLength:"500"`
}

type newGameBody struct {
	GameFields

	CategoryID uuid.UUID `json:"category_id"`
	Name       string    `json:"name" minLength:"1" maxLength:"100"`
	ShortCode  string    `json:"short_code" minLength:"1" maxLength:"32" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$"`
}

type gameBodyIn struct {
	GameFields

	CategoryID *uuid.UUID `json:"category_id,omitempty"`
	Name       *string    `json:"name,omitempty" minLength:"1" maxLength:"100"`
	ShortCode  *string    `json:"short_code,omitempty" minLength:"1" maxLength:"32" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$"`
	RemoveLogo bool       `json:"remove_logo,omitempty"`
}

func (b *newGameBody) change(by caller.Caller, given files) (*catalog.GameChange, error) {
	ch, err := b.GameFields.change(by, given)
	if err != nil {
		return nil, err
	}
	ch.Name, ch.ShortCode = &b.Name, &b.ShortCode
	if b.CategoryID != uuid.Nil {
		ch.CategoryID = &b.CategoryID
	}
	return ch, nil
}

func (b *gameBodyIn) change(by caller.Caller, given files) (*catalog.GameChange, error) {
	ch, err := b.GameFields.change(by, given)
	if err != nil {
		return nil, err
	}
	ch.Name, ch.ShortCode, ch.CategoryID, ch.NoLogo = b.Name, b.ShortCode, b.CategoryID, b.RemoveLogo
	return ch, nil
}

// change maps the fields to a change. Errors: ErrForbidden, ErrForceReason, errors of stopGiven.
func (f *GameFields) change(by caller.Caller, given files) (*catalog.GameChange, error) {
	stop, err := f.stopGiven()
	if err != nil {
		return nil, err
	}
	ch := &catalog.GameChange{Position: f.Position, Documents: catalog.Documents{}, Logo: given["logo"], SaleStop: stop}
	for field, d := range map[string]gameDocument{
		catalog.FieldMechanics: f.Mechanics, catalog.FieldRules: f.BettingRules,
		catalog.FieldSchedule: f.ScheduleConfig,
		catalog.FieldMetadata: f.Metadata, catalog.FieldAPI: f.APIConfig,
	} {
		raw, err := d.raw()
		if err != nil {
			return nil, err
		}
		if raw != nil {
			ch.Documents[field] = raw
		}
	}
	ch.Force, err = forced(by, f.Force, f.ForceReason)
	return ch, err
}

// SaleStop is the sale stop of a request, by two names.
type SaleStop struct {
	SaleStopTime    kit.OrNull[int] `json:"sale_stop_time,omitzero" minimum:"0" maximum:"86400" doc:"Seconds before a draw at which its sales stop; null is as its entity sets."`
	SaleStopSeconds kit.OrNull[int] `json:"sale_stop_seconds,omitzero" minimum:"0" maximum:"86400" doc:"the same as sale_stop_time"`
}

// stopGiven returns the sale stop that the request sets; nil if it sets none. Both fields may be sent if they are equal.
// Errors: kit.ErrInvalid, with the field that is out of range or differs.
func (s *SaleStop) stopGiven() (**int, error) {
	for field, o := range map[string]kit.OrNull[int]{"sale_stop_time": s.SaleStopTime, "sale_stop_seconds": s.SaleStopSeconds} {
		if o.Value != nil && (*o.Value < 0 || *o.Value > catalog.MaxSaleStop) {
			return nil, kit.ErrInvalid.WithDetails(apperr.Detail{Location: field, Message: "expected 0 to 86400 seconds"})
		}
	}
	switch {
	case s.SaleStopTime.Given && s.SaleStopSeconds.Given && !reflect.DeepEqual(s.SaleStopTime, s.SaleStopSeconds):
		return nil, kit.ErrInvalid.WithDetails(apperr.Detail{Location: "sale_stop_seconds", Message: "expected the value of sale_stop_time"})
	case s.SaleStopTime.Given:
		return &s.SaleStopTime.Value, nil
	case s.SaleStopSeconds.Given:
		return &s.SaleStopSeconds.Value, nil
	default:
		return nil, nil //nolint:nilnil // the sale stop stays as it is
	}
}

// forced returns the reason for rules that pay out more than they take in; "" if force is false. Errors:
// ErrForbidden, ErrForceReason.
func forced(by caller.Caller, force bool, reason string) (string, error) {
	switch {
	case !force:
		return "", nil
	case !by.May(auth.CatalogForce):
		return "", auth.ErrForbidden
	case reason == "":
		return "", catalog.ErrForceReason
	default:
		return reason, nil
	}
}
