package assistant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/completion"
	"banca/storage"
)

// write answers a question: a model asks for tools until it answers in text. Without a model, or after one broke off,
// the figures of the tools are the answer.
func (s *Service) write(ctx context.Context, r *run) error {
	by, err := s.caller(ctx, r)
	if err != nil {
		return err
	}
	if r.late {
		return s.fallback(ctx, r, r.texts().late)
	}
	history, err := s.history(ctx, r, by)
	if err != nil {
		return err
	}
	err = s.converse(ctx, r, by, history)
	var broken *completion.Error
	switch {
	case errors.Is(err, ErrBudget):
		return s.fallback(ctx, r, r.texts().budget)
	case errors.Is(err, completion.ErrSaturated):
		return s.fallback(ctx, r, r.texts().saturated)
	case errors.As(err, &broken):
		r.cut = true
		return s.fallback(ctx, r, r.texts().cut)
	default:
		return err
	}
}

// converse runs the turns of the models.
func (s *Service) converse(ctx context.Context, r *run, by caller.Caller, history []completion.Message) error {
	turn := &completion.Turn{Request: completion.Request{Messages: history, Tools: s.offered(by), MaxTokens: maxTokens}}
	turn.OnText = func(model, part string) error {
		r.model, turn.Pinned = model, model
		r.add(ctx, part)
		return ctx.Err()
	}
	var reserved *reservation
	turn.Reserve = func(ctx context.Context, tokens int64) (err error) {
		reserved, err = s.reserve(ctx, by.EntityID, tokens)
		return err
	}
	turn.OnAttempt = func(ctx context.Context, a completion.Attempt) { s.record(ctx, reserved, &a) }
	for calls, round := 0, 1; ; round++ {
		if round >= maxRounds || calls >= maxCalls {
			turn.Tools = nil // text now
		}
		answer, err := s.Models.Complete(ctx, turn)
		if err != nil {
			return err
		}
		if len(answer.Calls) == 0 || turn.Tools == nil {
			r.model = answer.Message.Model
			if strings.TrimSpace(r.text.String()) == "" {
				return completion.ErrSaturated // it asks for tools although none is offered
			}
			return nil
		}
		turn.Messages = append(turn.Messages, answer.Message)
		for _, call := range answer.Calls {
			calls++
			result, err := s.call(ctx, r, &call)
			if err != nil {
				return err
			}
			turn.Messages = append(turn.Messages, completion.ToolResult(call.ID, result))
		}
		if strings.TrimSpace(r.text.String()) != "" {
			r.add(ctx, "\n\n") // between what a model says before its tools and its answer
		}
	}
}

// offered lists the tools that the caller may use.
func (s *Service) offered(by caller.Caller) []completion.Tool {
	var out []completion.Tool
	for i := range s.Tools {
		if t := &s.Tools[i]; by.May(t.Permission) {
			out = append(
				out, completion.Tool{Name: t.Name, Description: t.Description, Parameters: jsontext.Value(t.Schema)},
			)
		}
	}
	return out
}

// call runs a tool and returns its result as JSON. What is wrong with the call is a result, too, so that the model
// can correct it. Errors: those that end the run, such as auth.ErrForbidden for a user who lost access meanwhile.
func (s *Service) call(ctx context.Context, r *run, call *completion.Call) (string, error) {
	by, err := s.caller(ctx, r)
	if err != nil {
		return "", err
	}
	var tool *Tool
	for i := range s.Tools {
		if s.Tools[i].Name == call.Name && by.May(s.Tools[i].Permission) {
			tool = &s.Tools[i]
		}
	}
	if tool == nil {
		return problem(call.Name, "there is no such tool for this user")
	}
	args, err := s.schemas.arguments(tool.Name, call.Arguments)
	if err != nil {
		return problem(tool.Name, "the arguments do not fit the schema of the tool")
	}
	canonical, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("arguments of %s: %w", tool.Name, err)
	}
	for i := range r.results {
		if r.results[i].Tool == tool.Name && r.results[i].CallArgs == string(canonical) {
			return encode(&r.results[i]) // asked again, or by the next model
		}
	}
	result, err := s.use(ctx, r, tool, by, args)
	if err != nil {
		return "", err
	}
	result.CallArgs = string(canonical)
	r.results = append(r.results, *result)
	return encode(result)
}

// use runs a tool within its time. A refusal of the domain is a result.
func (s *Service) use(ctx context.Context, r *run, tool *Tool, by caller.Caller, args Arguments) (*Result, error) {
	r.out.flush(ctx)
	r.out.send(ctx, EventTool, tool.Name)
	within, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	result, err := tool.Run(within, by, args)
	var refusal ToolError
	var several *AmbiguousError
	switch {
	case err == nil:
		result.Tool, result.Zone = tool.Name, s.Zone.String()
		return result, nil
	case errors.As(err, &refusal):
		return &Result{Tool: tool.Name, Problem: string(refusal)}, nil
	case errors.As(err, &several):
		return several.result(tool.Name), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, auth.ErrForbidden):
		return nil, err
	case permanent(err):
		return &Result{Tool: tool.Name, Problem: apperr.From(err).Message}, nil
	default:
		s.Log.ErrorContext(ctx, "a tool of the assistant failed", "tool", tool.Name, "error", err)
		return &Result{Tool: tool.Name, Problem: "the figures cannot be read now"}, nil
	}
}

func problem(tool, text string) (string, error) { return encode(&Result{Tool: tool, Problem: text}) }

func encode(r *Result) (string, error) {
	out, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("result of %s: %w", r.Tool, err)
	}
	return string(out), nil
}

// history returns the instructions, the last messages of the conversation and the question.
func (s *Service) history(ctx context.Context, r *run, by caller.Caller) ([]completion.Message, error) {
	type past struct{ Question, Answer string }
	list, err := storage.Collect(ctx, s.PG.Pool, "read history", pgx.RowToStructByPos[past],
		`SELECT question, answer FROM assistant_messages WHERE conversation_id = $1 AND id < $2 AND state = 'done' ORDER BY id DESC LIMIT $3`,
		r.conversation, r.id, maxHistory)
	if err != nil {
		return nil, err
	}
	out := []completion.Message{completion.Text(completion.RoleSystem, s.instructions(by))}
	for _, turn := range slices.Backward(list) {
		out = append(
			out, completion.Text(completion.RoleUser, turn.Question),
			completion.Text(completion.RoleAssistant, cleanLines(turn.Answer, maxPast)),
		)
	}
	return append(out, completion.Text(completion.RoleUser, r.question)), nil
}
