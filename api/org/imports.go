package org

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
	"banca/internal/risk"
	"banca/internal/setup/imports"
)

const importPath = "/entities/import"

func (o *operations) registerImports() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "import-entities", Method: http.MethodPost, Path: importPath, Tags: []string{"Organisation"},
		MaxBodyBytes: kit.MaxUpload + 1,
		Summary:      "Import agencies, groups and ticket points from a CSV or XLSX file",
		Description: "The first line names the columns, in English or Spanish: code, name, type (super-agency, agency, group, ticket point), parent (a code; " +
			"empty for the caller's entity), percent, currency, stake_limit, prize_limit, credit, user, user_name, phone. An entity with the code is changed, and an " +
			"empty cell changes nothing, so a repeat doubles nothing. A new user logs in with a code that is sent to the telephone. Everything is written in one " +
			"transaction, or nothing: a line with a problem refuses the file. With dry_run nothing is written, and the answer has the problems of every line. " +
			"At most 20,000 lines and 10 MiB.",
	}, kit.Can(auth.EntitiesWrite).Sensitive(), o.importEntities,
		sheet.ErrUnreadable, sheet.ErrTooManyRows, imports.ErrColumns, imports.ErrEmpty, imports.ErrRefused,
		auth.ErrUserAbove, auth.ErrUserExists, risk.ErrSetAbove)
	o.Huma.OpenAPI().Paths[importPath].Post.RequestBody.Content[sheet.XLSXType] = &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"},
	}
}

type importInput struct {
	DryRun  bool   `query:"dry_run" doc:"write nothing"`
	RawBody []byte `contentType:"text/csv"`
}

type importedEntities struct {
	DryRun    bool         `json:"dry_run"`
	New       int          `json:"new" doc:"entities"`
	Changed   int          `json:"changed"`
	Unchanged int          `json:"unchanged"`
	Wrong     int          `json:"wrong"`
	Users     int          `json:"users" doc:"new ones"`
	Ignored   []string     `json:"ignored_columns" nullable:"false"`
	Lines     []importLine `json:"lines" nullable:"false" doc:"parents before their children"`
}

type importLine struct {
	Line     int             `json:"line" doc:"of the file, from 1"`
	Depth    int             `json:"depth" doc:"below the first line of its branch"`
	EntityID *uuid.UUID      `json:"entityId" doc:"null for a line with a problem, and for a new entity in a dry run"`
	Type     string          `json:"entity_type" doc:"empty for an unknown one"`
	Code     string          `json:"code"`
	Name     string          `json:"name"`
	Action   string          `json:"action" enum:"new,changed,same,wrong"`
	User     bool            `json:"new_user"`
	Problems []importProblem `json:"problems" nullable:"false"`
}

type importProblem struct {
	Column  string `json:"column"`
	Message string `json:"message"`
}

func (o *operations) importEntities(
	ctx context.Context, by caller.Caller, in *importInput,
) (*kit.Data[importedEntities], error) {
	run := o.imports.Run
	if in.DryRun {
		run = o.imports.Try
	}
	plan, err := run(ctx, by, in.RawBody)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(importBody(middleware.Language(ctx), plan)), nil
}

func importBody(language string, p *imports.Plan) importedEntities {
	body := importedEntities{
		DryRun: p.DryRun, New: p.New, Changed: p.Changed, Unchanged: p.Same, Wrong: p.Wrong, Users: p.Users,
		Ignored: append([]string{}, p.Ignored...), Lines: make([]importLine, len(p.Lines)),
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		line := importLine{
			Line: l.Line, Depth: l.Depth, Type: l.Type, Code: l.Cells[imports.ColumnCode], Name: l.Cells[imports.ColumnName], Action: l.Action, User: l.User,
			Problems: []importProblem{},
		}
		if id := l.EntityID(); l.Action != imports.ActionWrong && (!p.DryRun || l.Action != imports.ActionNew) {
			line.EntityID = &id
		}
		for _, d := range l.Problems {
			line.Problems = append(line.Problems, importProblem{Column: d.Location, Message: problem.FieldText(language, string(d.Message))})
		}
		body.Lines[i] = line
	}
	return body
}
