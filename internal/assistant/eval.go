package assistant

import (
	"context"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
)

// Eval asks a question without a conversation, a user or a database: tools are given with fixed results. It measures
// models.
type Eval struct {
	Models Models
	Tools  []Tool
	Now    time.Time
	Zone   *time.Location
	Role   string
}

// EvalCall is a call that a model asked for.
type EvalCall struct {
	Tool      string
	Arguments Arguments
	Refused   bool // there is no such tool, or the arguments do not fit
}

// EvalAnswer is what a model made of a question.
type EvalAnswer struct {
	Text     string
	Calls    []EvalCall
	Untraced []string
	First    time.Duration // to the first text
	Cost     int64         // millionths of a US dollar
	Usage    completion.Usage
}

// Ask asks one question. Errors: errors of the models.
func (t *Eval) Ask(ctx context.Context, question string) (*EvalAnswer, error) {
	compiled, err := compile(t.Tools)
	if err != nil {
		return nil, err
	}
	s := &Service{Deps: Deps{Clock: clock.NewFake(t.Now), Zone: t.Zone}, schemas: compiled}
	out := &EvalAnswer{}
	r := &run{question: question}
	began := clock.System{}.Now()
	turn := &completion.Turn{Request: completion.Request{
		Messages: []completion.Message{completion.Text(completion.RoleSystem, s.instructions(caller.Caller{Role: t.Role})), completion.Text(completion.RoleUser, question)}, MaxTokens: maxTokens,
	}}
	turn.Tools = offeredAll(t.Tools)
	turn.OnText = func(model, part string) error {
		if out.First == 0 {
			out.First = clock.System{}.Now().Sub(began)
		}
		turn.Pinned = model
		r.text.WriteString(part)
		return nil
	}
	turn.OnAttempt = func(_ context.Context, a completion.Attempt) {
		out.Cost += a.Cost
		out.Usage.Input += a.Usage.Input
		out.Usage.Output += a.Usage.Output
	}
	for round := 1; ; round++ {
		if round >= maxRounds {
			turn.Tools = nil
		}
		answer, err := t.Models.Complete(ctx, turn)
		if err != nil {
			return nil, err
		}
		if len(answer.Calls) == 0 || turn.Tools == nil {
			break
		}
		turn.Messages = append(turn.Messages, answer.Message)
		for i := range answer.Calls {
			result, call := t.call(ctx, s, r, &answer.Calls[i])
			out.Calls = append(out.Calls, call)
			turn.Messages = append(turn.Messages, completion.ToolResult(answer.Calls[i].ID, result))
		}
	}
	out.Text = r.text.String()
	out.Untraced = figuresOf(r.results, businessday.Of(t.Now, t.Zone)).missing(out.Text, businessday.Of(t.Now, t.Zone))
	return out, nil
}

func (t *Eval) call(ctx context.Context, s *Service, r *run, call *completion.Call) (string, EvalCall) {
	made := EvalCall{Tool: call.Name, Refused: true}
	for i := range t.Tools {
		tool := &t.Tools[i]
		if tool.Name != call.Name {
			continue
		}
		args, err := s.schemas.arguments(tool.Name, call.Arguments)
		if err != nil {
			break
		}
		result, err := tool.Run(ctx, caller.Caller{}, args)
		if err != nil {
			break
		}
		made.Arguments, made.Refused = args, false
		result.Tool, result.Zone = tool.Name, t.Zone.String()
		r.results = append(r.results, *result)
		text, err := encode(result)
		if err != nil {
			break
		}
		return text, made
	}
	text, _ := problem(call.Name, "there is no such tool, or its arguments do not fit") // texts are always JSON
	return text, made
}

func offeredAll(tools []Tool) []completion.Tool {
	out := make([]completion.Tool, len(tools))
	for i := range tools {
		out[i] = completion.Tool{
			Name: tools[i].Name, Description: tools[i].Description, Parameters: []byte(tools[i].Schema),
		}
	}
	return out
}
