package org

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

func (o *operations) registerEntities() {
	tags := []string{"Organisation"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-entity", Method: http.MethodPost, Path: "/entities", Tags: tags,
		Summary: "Add an entity below another",
		Description: "Answers with the whole entity. It begins in status register, and cannot sell, unless status says active. With finance_info it needs " +
			"a confirmation: the password, given within the last minutes (POST /auth/confirm), or the key of a device.",
	}, kit.Can(auth.EntitiesWrite), o.createEntity,
		writeErrors(org.ErrTypeOrder)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-entities", Method: http.MethodGet, Path: "/entities", Tags: tags,
		Summary: "Entities of the caller's subtree",
	}, kit.Can(auth.EntitiesRead), o.listEntities)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "entity-tree", Method: http.MethodGet, Path: "/entities/tree", Tags: tags,
		Summary: "The caller's subtree",
	}, kit.Can(auth.EntitiesRead), o.entityTree, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-entity", Method: http.MethodGet, Path: "/entities/{id}", Tags: tags,
		Summary: "One entity with its own settings",
	}, kit.Can(auth.EntitiesRead), o.getEntity, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-entity", Method: http.MethodPatch, Path: "/entities/{id}", Tags: tags,
		Summary: "Change an entity",
		Description: "Within a group of settings, a key that is null is removed, and so inherited again; one that is not given stays. " +
			"A change of rates that would leave an entity of the subtree above its parent is refused; with dry_run=true the answer says what would change. " +
			"A change of finance_info needs a confirmation: the password, given within the last minutes (POST /auth/confirm), or the key of a device.",
	}, kit.Can(auth.EntitiesWrite), o.updateEntity,
		writeErrors(org.ErrOwnEntity)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-entity", Method: http.MethodDelete, Path: "/entities/{id}", Tags: tags,
		Summary: "Remove an entity that nothing stands on",
	}, kit.Can(auth.EntitiesDelete).Sensitive(), o.deleteEntity,
		org.ErrEntityInUse, org.ErrEntityNotFound, org.ErrHasChildren, org.ErrMovedMoney, org.ErrOwnEntity,
		org.ErrRootProtected)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "entity-effective-config", Method: http.MethodGet, Path: "/entities/{id}/effective-config",
		Tags:    tags,
		Summary: "What holds for an entity, each value with the entity it comes from",
	}, kit.Can(auth.EntitiesRead), o.effectiveConfig, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-entity-status", Method: http.MethodPut, Path: "/entities/{id}/status", Tags: tags,
		Summary: "Move an entity to a status",
	}, kit.Can(auth.EntitiesWrite).Sensitive(), o.setEntityStatus,
		org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRootProtected, org.ErrStatusMove)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "move-entity", Method: http.MethodPost, Path: "/entities/{id}/move", Tags: tags,
		Summary: "Put an entity, with everything below it, under another parent", DefaultStatus: http.StatusOK,
	}, kit.Can(auth.EntitiesWrite).Sensitive(), o.moveEntity,
		money.ErrAmount, org.ErrCycle, org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRates, org.ErrRootProtected,
		org.ErrTypeOrder)
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
	RateEffect        *whatIf               `json:"what_if,omitempty" doc:"of a dry run: the entity is as it would be, and nothing was changed"`
}

type whatIf struct {
	Changes    []rateChange    `json:"changes" nullable:"false"`
	Violations []rateViolation `json:"violations" nullable:"false" doc:"why the change would be refused; empty where it would not"`

	TotalChanges    int `json:"changes_total" doc:"the list holds the first 500"`
	TotalViolations int `json:"violations_total" doc:"the list holds the first 500"`
}

// RateOf identifies a rate.
type RateOf struct {
	EntityID uuid.UUID `json:"entityId"`
	Code     string    `json:"code"`
	Kind     string    `json:"kind" enum:"commission,participation"`
	Category string    `json:"category" doc:"empty for every one that no rule names"`
	BetType  string    `json:"bet_type" doc:"empty for every one that no rule names"`
}

type rateChange struct {
	RateOf

	Before kit.Decimal `json:"before" doc:"percent" example:"12.50"`
	After  kit.Decimal `json:"after" doc:"percent" example:"10.00"`
}

type rateViolation struct {
	RateOf

	Percent kit.Decimal `json:"percent" doc:"what the entity sets"`
	Allowed kit.Decimal `json:"allowed" doc:"percent its parent is granted"`
}

// SettingsInput are groups of settings in a request. The domain validates them and names the invalid ones.
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
		org.GroupLegal: org.Group(s.LegalInfo), org.GroupPrint: org.Group(s.PrintInfo),
		org.GroupSocial: org.Group(s.SocialInfo), org.GroupMessaging: org.Group(s.MessagingSettings),
		org.GroupFinance: org.Group(s.FinanceInfo), org.GroupConfig: org.Group(s.ConfigInfo),
		org.GroupContact: org.Group(s.ContactInfo), org.GroupLocation: org.Group(s.LocationInfo),
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

func (o *operations) createEntity(
	ctx context.Context, by caller.Caller, in *newEntityInput,
) (*kit.Created[entity], error) {
	b := &in.Body
	if b.FinanceInfo != nil {
		if err := o.Confirm(ctx, in.DeviceKey); err != nil {
			return nil, err
		}
	}
	e, err := o.entities.Create(ctx, by, &org.NewEntity{
		ParentID: b.ParentID, Type: b.EntityType, Name: b.Name, Code: b.Code, Status: b.Status,
		Groups: b.groups(), DefaultDeviceID: b.DefaultDeviceID,
	})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(entityBody(*e), o.BasePath+"/entities/"+e.ID.String()), nil
}

type entitiesInput struct {
	kit.PageParams
	Status   string `query:"status" enum:"register,active,suspended,inactive"`
	Type     string `query:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	ParentID string `query:"parent_id" format:"uuid" doc:"only those directly below this one"`
	Text     string `query:"q" maxLength:"100" doc:"in name or code"`
	Sort     string `query:"sort" enum:"code,name,created_at,-created_at" default:"code"`
}

func (o *operations) listEntities(ctx context.Context, by caller.Caller, in *entitiesInput) (*kit.List[entity], error) {
	f := &org.EntityFilter{Status: in.Status, Type: in.Type, Text: in.Text, Sort: in.Sort, Limit: in.PageSize, Offset: in.Offset(), ParentID: kit.ID(in.ParentID)}
	return kit.ListFrom(entityBody, &in.PageParams)(o.entities.Entities(ctx, by, f))
}

type treeNode struct {
	ID         uuid.UUID   `json:"id"`
	EntityType string      `json:"entity_type" enum:"OPERATOR,SUPER_AGENCY,AGENCY,GROUP,TICKET_POINT"`
	Name       string      `json:"name"`
	Code       string      `json:"code"`
	Status     string      `json:"status" enum:"register,active,suspended,inactive"`
	Children   []*treeNode `json:"children" nullable:"false"`
}

func (o *operations) entityTree(ctx context.Context, by caller.Caller, _ *struct{}) (*kit.Data[*treeNode], error) {
	return kit.DataFromValue(treeBody)(o.entities.Tree(ctx, by, by.EntityID))
}

func treeBody(n *org.TreeNode) *treeNode {
	return &treeNode{ID: n.ID, EntityType: n.Type, Name: n.Name, Code: n.Code, Status: n.Status, Children: kit.Map(n.Children, treeBody)}
}

func (o *operations) getEntity(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[entity], error) {
	return kit.DataFrom(entityBody)(o.entities.Entity(ctx, by, in.ID))
}

type entityInput struct {
	kit.ByID
	DryRun    bool   `query:"dry_run" doc:"only say what would change"`
	DeviceKey string `header:"X-Device-Key" doc:"key of a device of the caller's entity, in place of a confirmed password"`
	Body      struct {
		SettingsInput

		Name            *string               `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Code            *string               `json:"code,omitempty" minLength:"1" maxLength:"32"`
		DefaultDeviceID kit.OrNull[uuid.UUID] `json:"default_device_id,omitzero" doc:"null for none"`
	}
}

func (o *operations) updateEntity(ctx context.Context, by caller.Caller, in *entityInput) (*kit.Data[entity], error) {
	b := &in.Body
	if b.FinanceInfo != nil && !in.DryRun {
		if err := o.Confirm(ctx, in.DeviceKey); err != nil {
			return nil, err
		}
	}
	ch := &org.Change{Name: b.Name, Code: b.Code, Groups: b.groups(), DryRun: in.DryRun}
	if b.DefaultDeviceID.Given {
		ch.DefaultDeviceID = cmp.Or(b.DefaultDeviceID.Value, new(uuid.UUID))
	}
	e, what, err := o.entities.Update(ctx, by, in.ID, ch)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(tried(e, what, in.DryRun)), nil
}

func (o *operations) deleteEntity(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	if err := o.entities.Delete(ctx, by, in.ID); err != nil {
		return nil, err
	}
	return kit.DataOf(kit.Deleted{ID: in.ID.String(), Deleted: true}), nil
}

type entityStatusInput struct {
	kit.ByID
	Body struct {
		Status string `json:"status" enum:"register,active,suspended,inactive"`
	}
}

func (o *operations) setEntityStatus(
	ctx context.Context, by caller.Caller, in *entityStatusInput,
) (*kit.Data[entity], error) {
	return kit.DataFrom(entityBody)(o.entities.SetStatus(ctx, by, in.ID, in.Body.Status))
}

type moveEntityInput struct {
	kit.ByID
	DryRun bool `query:"dry_run" doc:"only say what would change"`
	Body   struct {
		ParentID uuid.UUID `json:"parent_id"`
	}
}

func (o *operations) moveEntity(ctx context.Context, by caller.Caller, in *moveEntityInput) (*kit.Data[entity], error) {
	e, what, err := o.entities.Move(
		ctx, by, org.MoveRequest{EntityID: in.ID, ParentID: in.Body.ParentID, DryRun: in.DryRun},
	)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(tried(e, what, in.DryRun)), nil
}
