package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/org"
)

func (a *API) registerEntities() {
	tags := []string{"Organisation"}
	handle(a, huma.Operation{
		OperationID: "create-entity", Method: http.MethodPost, Path: "/entities", Tags: tags, Summary: "Add an entity below another",
		Description: "Answers with the whole entity. It begins in status register, and cannot sell, unless status says active. With finance_info it needs " +
			"a confirmation: the password, given within the last minutes (POST /auth/confirm), or the key of a device.",
	}, Can(auth.EntitiesWrite), a.createEntity)
	handle(a, huma.Operation{
		OperationID: "list-entities", Method: http.MethodGet, Path: "/entities", Tags: tags, Summary: "Entities of the caller's subtree",
	}, Can(auth.EntitiesRead), a.listEntities)
	handle(a, huma.Operation{
		OperationID: "entity-tree", Method: http.MethodGet, Path: "/entities/tree", Tags: tags, Summary: "The caller's subtree",
	}, Can(auth.EntitiesRead), a.entityTree)
	handle(a, huma.Operation{
		OperationID: "get-entity", Method: http.MethodGet, Path: "/entities/{id}", Tags: tags, Summary: "One entity with its own settings",
	}, Can(auth.EntitiesRead), a.getEntity)
	handle(a, huma.Operation{
		OperationID: "update-entity", Method: http.MethodPatch, Path: "/entities/{id}", Tags: tags, Summary: "Change an entity",
		Description: "Within a group of settings, a key that is null is removed, and so inherited again; one that is not given stays. " +
			"A change of rates that would leave anybody in the subtree above the parent is refused; with dry_run=true it is told what would change. " +
			"A change of finance_info needs a confirmation: the password, given within the last minutes (POST /auth/confirm), or the key of a device.",
	}, Can(auth.EntitiesWrite), a.updateEntity)
	handle(a, huma.Operation{
		OperationID: "delete-entity", Method: http.MethodDelete, Path: "/entities/{id}", Tags: tags, Summary: "Remove an entity that nothing stands on",
	}, Can(auth.EntitiesDelete).Sensitive(), a.deleteEntity)
	handle(a, huma.Operation{
		OperationID: "entity-effective-config", Method: http.MethodGet, Path: "/entities/{id}/effective-config", Tags: tags,
		Summary: "What holds for an entity, each value with the entity it comes from",
	}, Can(auth.EntitiesRead), a.effectiveConfig)
	handle(a, huma.Operation{
		OperationID: "set-entity-status", Method: http.MethodPut, Path: "/entities/{id}/status", Tags: tags, Summary: "Move an entity to a status",
	}, Can(auth.EntitiesWrite).Sensitive(), a.setEntityStatus)
	handle(a, huma.Operation{
		OperationID: "move-entity", Method: http.MethodPost, Path: "/entities/{id}/move", Tags: tags,
		Summary: "Put an entity, with everything below it, under another parent", DefaultStatus: http.StatusOK,
	}, Can(auth.EntitiesWrite).Sensitive(), a.moveEntity)
}

type entity struct {
	ID                uuid.UUID             `json:"id"`
	EntityType        string                `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	Name              string                `json:"name"`
	Code              string                `json:"code" example:"TAQ-001"`
	ParentID          *uuid.UUID            `json:"parent_id" doc:"null for the root"`
	Path              string                `json:"path" doc:"ids from the root to the entity itself"`
	Status            string                `json:"status" enum:"register,active,suspended,inactive"`
	LegalInfo         org.LegalInfo         `json:"legal_info"`
	PrintInfo         org.PrintInfo         `json:"print_info"`
	SocialInfo        org.SocialInfo        `json:"social_info"`
	MessagingSettings org.MessagingSettings `json:"messaging_settings"`
	FinanceInfo       org.Finance           `json:"finance_info"`
	ConfigInfo        org.Config            `json:"config_info"`
	ContactInfo       org.ContactInfo       `json:"contact_info"`
	LocationInfo      org.LocationInfo      `json:"location_info"`
	DefaultDeviceID   *uuid.UUID            `json:"default_device_id"`
	CreatedAt         time.Time             `json:"created_at"`
	UpdatedAt         time.Time             `json:"updated_at"`
	WhatIf            *whatIf               `json:"what_if,omitempty" doc:"of a dry run: the entity is as it would be, and nothing was changed"`
}

type whatIf struct {
	Changes    []rateChange    `json:"changes" nullable:"false"`
	Violations []rateViolation `json:"violations" nullable:"false" doc:"why the change would be refused; empty where it would not"`

	TotalChanges    int `json:"changes_total" doc:"the list holds the first 500"`
	TotalViolations int `json:"violations_total" doc:"the list holds the first 500"`
}

// RateOf says whose rate of what. It is exported because huma looks into exported embedded structs only.
type RateOf struct {
	EntityID uuid.UUID `json:"entityId"`
	Code     string    `json:"code"`
	Kind     string    `json:"kind" enum:"commission,participation"`
	Category string    `json:"category" doc:"empty for every one that no rule names"`
	BetType  string    `json:"bet_type" doc:"empty for every one that no rule names"`
}

type rateChange struct {
	RateOf

	Before Decimal `json:"before" doc:"percent" example:"12.50"`
	After  Decimal `json:"after" doc:"percent" example:"10.00"`
}

type rateViolation struct {
	RateOf

	Percent Decimal `json:"percent" doc:"what the entity sets"`
	Allowed Decimal `json:"allowed" doc:"percent its parent is granted"`
}

// SettingsInput are groups of settings in a request. What they may hold is decided by the domain, which names what
// it refuses. It is exported because huma looks into exported embedded structs only.
type SettingsInput struct {
	LegalInfo         settingsGroup[org.LegalInfo]         `json:"legal_info,omitempty"`
	PrintInfo         settingsGroup[org.PrintInfo]         `json:"print_info,omitempty"`
	SocialInfo        settingsGroup[org.SocialInfo]        `json:"social_info,omitempty"`
	MessagingSettings settingsGroup[org.MessagingSettings] `json:"messaging_settings,omitempty"`
	FinanceInfo       settingsGroup[org.Finance]           `json:"finance_info,omitempty"`
	ConfigInfo        settingsGroup[org.Config]            `json:"config_info,omitempty"`
	ContactInfo       settingsGroup[org.ContactInfo]       `json:"contact_info,omitempty"`
	LocationInfo      settingsGroup[org.LocationInfo]      `json:"location_info,omitempty"`
}

func (s *SettingsInput) groups() org.Groups {
	all := org.Groups{}
	for name, group := range map[string]org.Group{
		org.GroupLegal: org.Group(s.LegalInfo), org.GroupPrint: org.Group(s.PrintInfo), org.GroupSocial: org.Group(s.SocialInfo), org.GroupMessaging: org.Group(s.MessagingSettings),
		org.GroupFinance: org.Group(s.FinanceInfo), org.GroupConfig: org.Group(s.ConfigInfo), org.GroupContact: org.Group(s.ContactInfo), org.GroupLocation: org.Group(s.LocationInfo),
	} {
		if group != nil {
			all[name] = group
		}
	}
	return all
}

type newEntityInput struct {
	DeviceKey string `header:"X-Device-Key" doc:"key of a device of the caller's entity, in place of a confirmed password"`
	Body      struct {
		SettingsInput

		EntityType      string    `json:"entity_type" enum:"SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
		Name            string    `json:"name" minLength:"1" maxLength:"100"`
		Code            string    `json:"code" minLength:"1" maxLength:"32" example:"TAQ-001"`
		ParentID        uuid.UUID `json:"parent_id"`
		Status          string    `json:"status,omitempty" enum:"register,active" default:"register"`
		DefaultDeviceID uuid.UUID `json:"default_device_id,omitempty"`
	}
}

func (a *API) createEntity(ctx context.Context, in *newEntityInput) (*Created[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	b := &in.Body
	if b.FinanceInfo != nil {
		if err := middleware.ConfirmedBy(ctx, in.DeviceKey, a.deps.Auth, a.deps.DeviceKeys); err != nil {
			return nil, err
		}
	}
	e, err := a.deps.Org.Create(ctx, &org.NewEntity{
		Scope: scope, ParentID: b.ParentID, Type: b.EntityType, Name: b.Name, Code: b.Code, Status: b.Status,
		Groups: b.groups(), DefaultDeviceID: b.DefaultDeviceID,
	})
	if err != nil {
		return nil, err
	}
	return created(entityBody(*e), a.deps.BasePath+"/entities/"+e.ID.String()), nil
}

type entitiesInput struct {
	PageParams
	Status   string `query:"status" enum:"register,active,suspended,inactive"`
	Type     string `query:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	ParentID string `query:"parent_id" format:"uuid" doc:"only those directly below this one"`
	Text     string `query:"q" maxLength:"100" doc:"in name or code"`
	Sort     string `query:"sort" enum:"code,name,created_at,-created_at" default:"code"`
}

func (a *API) listEntities(ctx context.Context, in *entitiesInput) (*List[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &org.EntityFilter{Scope: scope, Status: in.Status, Type: in.Type, Text: in.Text, Sort: in.Sort, Limit: in.PageSize, Offset: in.Offset()}
	f.ParentID, _ = uuid.Parse(in.ParentID) // the format was checked; empty is none
	all, total, err := a.deps.Org.Entities(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, entityBody), &in.PageParams, total), nil
}

type treeNode struct {
	ID         uuid.UUID   `json:"id"`
	EntityType string      `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	Name       string      `json:"name"`
	Code       string      `json:"code"`
	Status     string      `json:"status" enum:"register,active,suspended,inactive"`
	Children   []*treeNode `json:"children" nullable:"false"`
}

func (a *API) entityTree(ctx context.Context, _ *struct{}) (*Data[*treeNode], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	root, err := a.deps.Org.Tree(ctx, scope)
	if err != nil {
		return nil, err
	}
	return data(treeBody(root)), nil
}

func treeBody(n *org.TreeNode) *treeNode {
	return &treeNode{ID: n.ID, EntityType: n.Type, Name: n.Name, Code: n.Code, Status: n.Status, Children: mapped(n.Children, treeBody)}
}

// EntityParams names an entity. It is exported because huma looks into exported embedded structs only.
type EntityParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getEntity(ctx context.Context, in *EntityParams) (*Data[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	e, err := a.deps.Org.Entity(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(entityBody(*e)), nil
}

type entityInput struct {
	EntityParams
	DryRun    bool   `query:"dry_run" doc:"only say what would change"`
	DeviceKey string `header:"X-Device-Key" doc:"key of a device of the caller's entity, in place of a confirmed password"`
	Body      struct {
		SettingsInput

		Name            *string    `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Code            *string    `json:"code,omitempty" minLength:"1" maxLength:"32"`
		DefaultDeviceID optionalID `json:"default_device_id,omitzero" doc:"null for none"`
	}
}

func (a *API) updateEntity(ctx context.Context, in *entityInput) (*Data[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	b := &in.Body
	if b.FinanceInfo != nil && !in.DryRun {
		if err := middleware.ConfirmedBy(ctx, in.DeviceKey, a.deps.Auth, a.deps.DeviceKeys); err != nil {
			return nil, err
		}
	}
	ch := &org.Change{Scope: scope, Name: b.Name, Code: b.Code, Groups: b.groups(), DryRun: in.DryRun}
	if b.DefaultDeviceID.given {
		ch.DefaultDeviceID = &b.DefaultDeviceID.id
	}
	e, what, err := a.deps.Org.Update(ctx, in.ID, ch)
	if err != nil {
		return nil, err
	}
	return data(tried(e, what, in.DryRun)), nil
}

func (a *API) deleteEntity(ctx context.Context, in *EntityParams) (*Data[deleted], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.deps.Org.Delete(ctx, scope, in.ID); err != nil {
		return nil, err
	}
	return data(deleted{ID: in.ID.String(), Deleted: true}), nil
}

type entityStatusInput struct {
	EntityParams
	Body struct {
		Status string `json:"status" enum:"register,active,suspended,inactive"`
	}
}

func (a *API) setEntityStatus(ctx context.Context, in *entityStatusInput) (*Data[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	e, err := a.deps.Org.SetStatus(ctx, scope, in.ID, in.Body.Status)
	if err != nil {
		return nil, err
	}
	return data(entityBody(*e)), nil
}

type moveEntityInput struct {
	EntityParams
	DryRun bool `query:"dry_run" doc:"only say what would change"`
	Body   struct {
		ParentID uuid.UUID `json:"parent_id"`
	}
}

func (a *API) moveEntity(ctx context.Context, in *moveEntityInput) (*Data[entity], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	e, what, err := a.deps.Org.Move(ctx, scope, in.ID, in.Body.ParentID, in.DryRun)
	if err != nil {
		return nil, err
	}
	return data(tried(e, what, in.DryRun)), nil
}
