package org

import (
	"cmp"
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

// settingsGroup is a group of settings as it was sent; T is the type of the group in answers.
type settingsGroup[T any] map[string]jsontext.Value

// Schema implements huma.SchemaProvider: an object with the keys of T, each of which may be null. The keys are
// extensions, which huma writes and does not validate, because the domain validates them with errors of its own.
func (settingsGroup[T]) Schema(r huma.Registry) *huma.Schema {
	group := closedCopy(r, r.Schema(reflect.TypeFor[T](), false, ""))
	for _, property := range group.Properties {
		kit.MakeNullable(property)
	}
	return &huma.Schema{
		Type: huma.TypeObject, Description: "A key that is null is removed, one that is not given stays.",
		Extensions: map[string]any{"properties": group.Properties, "additionalProperties": false},
	}
}

// closedCopy returns a schema for requests with the same properties: without references and without added properties,
// so that the schema of answers stays open.
func closedCopy(r huma.Registry, s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	c := *s
	if s.Ref != "" {
		c = *r.SchemaFromRef(s.Ref)
		c.Description = cmp.Or(s.Description, c.Description)
	}
	c.Items = closedCopy(r, c.Items)
	if c.Type == huma.TypeObject && len(c.Properties) > 0 {
		c.AdditionalProperties = false
		properties := make(map[string]*huma.Schema, len(c.Properties))
		for name, property := range c.Properties {
			properties[name] = closedCopy(r, property)
		}
		c.Properties = properties
	}
	return &c
}

// source is the entity a value comes from.
type source struct {
	ID         uuid.UUID `json:"id"`
	Code       string    `json:"code"`
	Name       string    `json:"name"`
	EntityType string    `json:"entity_type"`
}

type sourced struct {
	Value any     `json:"value"`
	From  *source `json:"from" doc:"null where no entity sets it"`
}

type effectiveRate struct {
	Category string      `json:"category" doc:"empty for every one that no rule names"`
	BetType  string      `json:"bet_type" doc:"empty for every one that no rule names"`
	Percent  kit.Decimal `json:"percent" example:"12.50"`
	From     *source     `json:"from" doc:"null where no entity sets it"`
}

type effectiveConfig struct {
	EntityID          uuid.UUID          `json:"entityId"`
	CanSell           bool               `json:"can_sell" doc:"whether it and all above it are active"`
	Commissions       []effectiveRate    `json:"commissions" nullable:"false" doc:"of net sales, including everything below"`
	FinanceInfo       map[string]sourced `json:"finance_info"`
	ConfigInfo        map[string]sourced `json:"config_info"`
	LegalInfo         map[string]sourced `json:"legal_info"`
	PrintInfo         map[string]sourced `json:"print_info"`
	SocialInfo        map[string]sourced `json:"social_info"`
	MessagingSettings map[string]sourced `json:"messaging_settings"`
}

func (o *operations) effectiveConfig(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[effectiveConfig], error) {
	e, err := o.entities.Effective(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	group := func(name string) map[string]sourced {
		keys := make(map[string]sourced, len(e.Groups[name]))
		for key, v := range e.Groups[name] {
			keys[key] = sourced{Value: v.Value, From: sourceBody(v.From)}
		}
		return keys
	}
	return kit.DataOf(effectiveConfig{
		EntityID: e.EntityID, CanSell: e.CanSell,
		Commissions: kit.Map(e.Commissions, func(r org.EffectiveRate) effectiveRate {
			return effectiveRate{
				Category: r.Category, BetType: r.BetType, Percent: percentBody(r.Rate), From: sourceBody(r.From),
			}
		}),
		FinanceInfo: group(org.GroupFinance), ConfigInfo: group(org.GroupConfig), LegalInfo: group(org.GroupLegal),
		PrintInfo: group(org.GroupPrint), SocialInfo: group(org.GroupSocial),
		MessagingSettings: group(org.GroupMessaging),
	}), nil
}

func sourceBody(s *org.Source) *source {
	if s == nil {
		return nil
	}
	return &source{ID: s.ID, Code: s.Code, Name: s.Name, EntityType: s.Type}
}

// percentBody writes a rate as a percentage: "12.50".
func percentBody(r money.BasisPoints) kit.Decimal { return kit.DecimalOf(money.Amount(r), 2) }

func entityBody(e org.Entity) entity {
	return entity{
		ID: e.ID, EntityType: e.Type, Name: e.Name, Code: e.Code, ParentID: kit.Optional(e.ParentID), Path: e.Path,
		Status:    e.Status,
		LegalInfo: e.Legal, PrintInfo: e.Print, SocialInfo: e.Social, MessagingSettings: e.Messaging,
		FinanceInfo: e.Finance, ConfigInfo: e.Config,
		ContactInfo: e.Contact, LocationInfo: e.Location, DefaultDeviceID: kit.Optional(e.DefaultDeviceID),
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// tried is an entity after a change, or as it would be, with what that does to rates.
func tried(e *org.Entity, what *org.RateEffect, dryRun bool) entity {
	body := entityBody(*e)
	if !dryRun {
		return body
	}
	if what == nil {
		what = &org.RateEffect{}
	}
	body.RateEffect = &whatIf{
		TotalChanges: what.TotalChanges, TotalViolations: what.TotalViolations,
		Changes: kit.Map(what.Changes, func(c org.RateChange) rateChange {
			return rateChange{
				RateOf{c.EntityID, c.Code, c.Kind, c.Category, c.BetType}, percentBody(c.Before), percentBody(c.After),
			}
		}),
		Violations: kit.Map(what.Violations, func(v org.RateViolation) rateViolation {
			return rateViolation{
				RateOf{v.EntityID, v.Code, v.Kind, v.Category, v.BetType}, percentBody(v.Percent),
				percentBody(v.Allowed),
			}
		}),
	}
	return body
}
