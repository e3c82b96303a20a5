package assistant

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
)

// Tool is a function that a model may ask for. It only reads.
type Tool struct {
	Name        string
	Description string
	Schema      string // JSON Schema of its arguments, an object without other properties
	Permission  caller.Permission
	// Plain reports that the tool belongs to the figures that are shown if no model answers.
	Plain bool
	Run   func(ctx context.Context, by caller.Caller, args Arguments) (*Result, error)
}

// Arguments are the arguments of a call, checked against the schema.
type Arguments struct {
	Date   string `json:"date,omitempty"`
	Other  string `json:"other,omitempty"` // the period that Date is compared with
	Game   string `json:"game,omitempty"`
	Time   string `json:"time,omitempty"`
	Branch string `json:"branch,omitempty"`
	Group  string `json:"group_by,omitempty"`
	Serial string `json:"serial,omitempty"`
	Number string `json:"number,omitempty"`
	Top    int    `json:"top,omitzero"`
}

// Period is a first and a last day.
type Period [2]businessday.Day

// Result is a table of figures. The days it is about are a part of it.
type Result struct {
	Tool     string          `json:"tool"`
	From     businessday.Day `json:"from,omitzero"`
	To       businessday.Day `json:"to,omitzero"`
	Other    Period          `json:"other,omitzero"` // that the days are compared with
	Zone     string          `json:"time_zone,omitempty"`
	About    string          `json:"about,omitempty"` // entity, game, ticket
	Columns  []string        `json:"columns,omitempty"`
	Rows     [][]string      `json:"rows,omitempty"`
	Total    int64           `json:"total_rows,omitzero"` // if there are more rows than these
	Facts    []Fact          `json:"facts,omitempty"`
	Note     string          `json:"note,omitempty"` // for models
	Link     string          `json:"link,omitempty"` // page of the panel with these figures
	Problem  string          `json:"problem,omitempty"`
	CallArgs string          `json:"arguments,omitempty"`
}

// result is the result of a tool that refused a name.
func (e *AmbiguousError) result(tool string) *Result {
	out := &Result{Tool: tool, Problem: e.Problem, Columns: []string{"name"}}
	for _, name := range e.Names {
		out.Rows = append(out.Rows, []string{name})
	}
	return out
}

// Fact is a figure in addition to the table.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"`
}

// Facts of the same day a week before: its net sales, and the change in percent of them.
const (
	FactWeekBefore  = "week_before"
	FactWeekPercent = "week_percent"
)

// schemas are the compiled schemas of tools by name.
type schemas map[string]*jsonschema.Schema

func compile(tools []Tool) (schemas, error) {
	out := schemas{}
	for i := range tools {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(tools[i].Schema))
		if err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", tools[i].Name, err)
		}
		c := jsonschema.NewCompiler()
		address := tools[i].Name + ".json"
		if err := c.AddResource(address, document); err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", tools[i].Name, err)
		}
		if out[tools[i].Name], err = c.Compile(address); err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", tools[i].Name, err)
		}
	}
	return out, nil
}

// arguments checks the arguments of a call. An empty text means none.
func (s schemas) arguments(tool, text string) (Arguments, error) {
	var a Arguments
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return a, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	if err := s[tool].Validate(value); err != nil {
		return a, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return a, nil
}
