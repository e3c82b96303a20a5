package messaging

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
)

const (
	templatesPath = "/messaging/templates"
	templatePath  = templatesPath + "/{purpose}/{language}"
)

func (o *operations) registerTemplates() {
	read, write := kit.Can(auth.MessagingRead), kit.Can(auth.EntitiesWrite).Sensitive()
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "list-templates", Method: http.MethodGet, Path: templatesPath,
		Summary:     "The texts of an entity's messages, by purpose and language",
		Description: "Each text in use: the entity's own (`own`), the text of the nearest entity above (`from`), or the built-in one.",
	}), read, o.listTemplates, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "get-template", Method: http.MethodGet, Path: templatePath,
		Summary: "A text with its placeholders",
	}), read, o.getTemplate, templates.ErrNotFound, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "put-template", Method: http.MethodPut, Path: templatePath,
		Summary:     "Give an entity a text of its own",
		Description: "`{name}` is a placeholder, `{{` and `}}` are braces. `version` is the one that was read, null for an inherited text: a text that somebody else changed meanwhile is not replaced.",
	}), write, o.putTemplate,
		templates.ErrNotFound, templates.ErrInvalid, templates.ErrChanged, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "inherit-template", Method: http.MethodDelete, Path: templatePath, DefaultStatus: http.StatusOK,
		Summary: "Delete the own text of an entity, which inherits again",
	}), write, o.inheritTemplate,
		templates.ErrNotFound, templates.ErrNotOwn, templates.ErrChanged, org.ErrEntityNotFound)
	kit.Handle(o.Registry, tagged(huma.Operation{
		OperationID: "preview-template", Method: http.MethodPost, Path: templatePath + "/preview",
		DefaultStatus: http.StatusOK, Summary: "A text filled in with samples, and its problems",
		Description: "It changes nothing.",
	}), read, o.previewTemplate, templates.ErrNotFound, org.ErrEntityNotFound)
}

// TemplateText is a text in answers.
type TemplateText struct {
	Body     string           `json:"body"`
	Provider providerTemplate `json:"provider"`
	From     *templateSource  `json:"from" doc:"the entity that has it; null for the built-in text"`
}

type templateSource struct {
	ID   uuid.UUID `json:"id"`
	Code string    `json:"code"`
	Name string    `json:"name"`
	Type string    `json:"entity_type"`
}

type providerTemplate struct {
	Name     string   `json:"name" doc:"of the template that the provider has approved; empty without one"`
	Language string   `json:"language" example:"es"`
	Values   []string `json:"values" nullable:"false" doc:"keys of the placeholders of {{1}}, {{2}} ... of its body"`
	Button   string   `json:"button" doc:"key of the placeholder of its first button"`
}

type template struct {
	EntityID uuid.UUID `json:"entity_id"`
	Purpose  string    `json:"purpose" enum:"receipt,cancellation,prize,prize_corrected,prize_withdrawn,results,results_corrected,code,daily_close,settlement,opt_out,opt_in"`
	Language string    `json:"language" enum:"es,en"`
	TemplateText

	Own          bool          `json:"own"`
	Inherited    TemplateText  `json:"inherited" doc:"text in use without an own text"`
	Version      *uuid.UUID    `json:"version" doc:"of an own text"`
	UpdatedAt    *time.Time    `json:"updated_at" doc:"of an own text"`
	Placeholders []placeholder `json:"placeholders" nullable:"false"`
	Limit        int           `json:"limit" doc:"characters of a message"`
}

type placeholder struct {
	Key       string `json:"key" example:"serial" doc:"the same in all languages"`
	Name      string `json:"name" example:"serial" doc:"in texts, between braces"`
	Required  bool   `json:"required"`
	MaxLength int    `json:"max_length" doc:"characters of a value"`
	Sample    string `json:"sample"`
}

func textBody(t *templates.Text) TemplateText {
	b := TemplateText{
		Body:     t.Body,
		Provider: providerTemplate{t.Provider.Name, t.Provider.Language, t.Provider.Values, t.Provider.Button},
	}
	if b.Provider.Values == nil {
		b.Provider.Values = []string{}
	}
	if t.From != nil {
		b.From = &templateSource{t.From.ID, t.From.Code, t.From.Name, t.From.Type}
	}
	return b
}

func templateBody(t templates.Template) template {
	fields := t.Purpose.Fields()
	return template{
		EntityID: t.EntityID, Purpose: string(t.Purpose), Language: string(t.Language), TemplateText: textBody(&t.Text),
		Own: t.Own, Inherited: textBody(&t.Inherited),
		Version: kit.Optional(t.Version), UpdatedAt: kit.Optional(t.UpdatedAt), Limit: t.Purpose.Limit(),
		Placeholders: kit.Map(fields, func(f templates.Field) placeholder {
			return placeholder{f.Key, f.Name(t.Language), f.Required, f.Max, f.Sample(t.Language)}
		}),
	}
}

func templateData(t *templates.Template, err error) (*kit.Data[template], error) {
	if err != nil {
		return nil, err
	}
	return kit.DataOf(templateBody(*t)), nil
}

type listTemplatesInput struct {
	EntityID string `query:"entity_id" format:"uuid" doc:"the caller's entity without it"`
}

func entityOr(by caller.Caller, text string) uuid.UUID {
	if id := kit.ID(text); id != uuid.Nil {
		return id
	}
	return by.EntityID
}

func (o *operations) listTemplates(
	ctx context.Context, by caller.Caller, in *listTemplatesInput,
) (*kit.List[template], error) {
	list, err := o.templates.List(ctx, by, entityOr(by, in.EntityID))
	if err != nil {
		return nil, err
	}
	return kit.AllOf(kit.Map(list, templateBody)), nil
}

// TemplateParams name a text.
type TemplateParams struct {
	Purpose  string `path:"purpose" maxLength:"40" example:"receipt"`
	Language string `path:"language" maxLength:"10" example:"es"`
	EntityID string `query:"entity_id" format:"uuid" doc:"the caller's entity without it"`
}

func (p *TemplateParams) key(by caller.Caller) templates.Key {
	return templates.Key{
		EntityID: entityOr(by, p.EntityID), Purpose: templates.Purpose(p.Purpose),
		Language: templates.Language(p.Language),
	}
}

func (o *operations) getTemplate(
	ctx context.Context, by caller.Caller, in *TemplateParams,
) (*kit.Data[template], error) {
	return templateData(o.templates.Get(ctx, by, in.key(by)))
}

// TemplateBody is a text to store. Bounds that need the purpose are the domain's, whose answers name every problem.
type TemplateBody struct {
	Body     string           `json:"body" maxLength:"10000"`
	Provider *TemplateOutside `json:"provider,omitempty" doc:"the template that the provider has approved, for recipients who did not write within its window"`
	Version  *uuid.UUID       `json:"version,omitempty" doc:"of the own text that was read; null or missing for an inherited one"`
}

// TemplateOutside is the template of a provider.
type TemplateOutside struct {
	Name     string   `json:"name" maxLength:"512"`
	Language string   `json:"language" maxLength:"10"`
	Values   []string `json:"values,omitempty" maxItems:"20" doc:"keys of placeholders"`
	Button   string   `json:"button,omitempty" maxLength:"40"`
}

func (b *TemplateBody) draft() *templates.Draft {
	d := &templates.Draft{Body: b.Body}
	if b.Provider != nil {
		d.Provider = templates.Provider{
			Name: b.Provider.Name, Language: b.Provider.Language, Values: b.Provider.Values, Button: b.Provider.Button,
		}
	}
	if b.Version != nil {
		d.Version = *b.Version
	}
	return d
}

type putTemplateInput struct {
	TemplateParams

	Body TemplateBody
}

func (o *operations) putTemplate(
	ctx context.Context, by caller.Caller, in *putTemplateInput,
) (*kit.Data[template], error) {
	return templateData(o.templates.Put(ctx, by, in.key(by), in.Body.draft()))
}

type inheritTemplateInput struct {
	TemplateParams

	Version string `query:"version" format:"uuid" required:"true" doc:"of the own text that was read"`
}

func (o *operations) inheritTemplate(
	ctx context.Context, by caller.Caller, in *inheritTemplateInput,
) (*kit.Data[kit.Deleted], error) {
	_, err := o.templates.Delete(ctx, by, in.key(by), kit.ID(in.Version))
	return kit.DeletedOf(in.Purpose+"/"+in.Language, err)
}

type templatePreview struct {
	Message  string            `json:"message" doc:"empty if the text has problems"`
	Longest  int               `json:"longest" doc:"characters of the longest message"`
	Limit    int               `json:"limit"`
	Values   []string          `json:"values" nullable:"false" doc:"of the provider's template"`
	Button   string            `json:"button"`
	Problems []templateProblem `json:"problems" nullable:"false" doc:"for which the text would be refused"`
}

type templateProblem struct {
	Location string `json:"location"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

func (o *operations) previewTemplate(
	ctx context.Context, by caller.Caller, in *putTemplateInput,
) (*kit.Data[templatePreview], error) {
	p, err := o.templates.Preview(ctx, by, in.key(by), in.Body.draft())
	if err != nil {
		return nil, err
	}
	if p.Values == nil {
		p.Values = []string{}
	}
	return kit.DataOf(templatePreview{
		Message: p.Message, Longest: p.Longest, Limit: p.Limit, Values: p.Values, Button: p.Button,
		Problems: kit.Map(p.Problems, func(d apperr.Detail) templateProblem {
			return templateProblem{d.Location, d.Code, problem.FieldText(middleware.Language(ctx), string(d.Message))}
		}),
	}), nil
}
