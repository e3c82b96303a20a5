package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
	"banca/internal/platform/telemetry"
)

// Attempt is what an attempt at a model took, for the figures of usage.
type Attempt struct {
	Model   string
	Kind    Kind // "" if it answered
	Usage   Usage
	Cost    int64         // millionths of a US dollar
	Latency time.Duration // of the whole attempt
	First   time.Duration // to the first text or call; 0 without
}

// Options configures NewChain.
type Options struct {
	Models []Model // in the order in which they are tried
	Client *Client
	Redis  redis.UniversalClient
	Log    *slog.Logger
	// Alert reports a model whose key or address is wrong.
	Alert func(ctx context.Context, model string) error
}

// Chain tries models in order.
type Chain struct {
	models []Model
	client *Client
	cool   coolDowns
	log    *slog.Logger
	alert  func(ctx context.Context, model string) error
}

// NewChain validates the models and returns a chain. A chain without models answers ErrSaturated.
func NewChain(o *Options) (*Chain, error) {
	if len(o.Models) > MaxModels {
		return nil, fmt.Errorf("completion: there must be at most %d models", MaxModels)
	}
	names := map[string]bool{}
	for i := range o.Models {
		if err := o.Models[i].Validate(); err != nil {
			return nil, err
		}
		if names[o.Models[i].Name] {
			return nil, errors.New("completion: two models have one name")
		}
		names[o.Models[i].Name] = true
	}
	return &Chain{models: o.Models, client: o.Client, cool: coolDowns{redis: o.Redis}, log: o.Log, alert: o.Alert}, nil
}

// Turn is one continuation of a conversation.
type Turn struct {
	Request
	// Pinned is the model whose text was shown already; no other one may continue. "" for none.
	Pinned string
	// OnText receives the parts of the text; it may be nil.
	OnText func(model, part string) error
	// Reserve is called before each attempt with an estimate of the tokens that it may take. Its error ends the turn
	// and is returned. It may be nil.
	Reserve func(ctx context.Context, tokens int64) error
	// OnAttempt receives each attempt after it, also one that the caller ended: one for each call of Reserve that
	// returned nil. It may be nil.
	OnAttempt func(ctx context.Context, a Attempt)
}

// Complete returns the answer of the first model that has one. Errors: ErrSaturated if there is none and no text was
// shown; the *Error of the model after text was shown; *StoppedError if the caller cancelled or OnText returned an
// error; the error of Reserve.
func (c *Chain) Complete(ctx context.Context, t *Turn) (*Answer, error) {
	cooling := c.cool.of(ctx, c.models)
	for i := range c.models {
		m := &c.models[i]
		if t.Pinned != "" && m.Name != t.Pinned || t.Pinned == "" && cooling[i] {
			continue
		}
		answer, err := c.try(ctx, m, t)
		if err == nil {
			return answer, nil
		}
		var failed *Error
		if !errors.As(err, &failed) {
			return nil, err
		}
		c.note(ctx, m, failed)
		if failed.Shown || t.Pinned != "" {
			return nil, failed
		}
	}
	return nil, ErrSaturated
}

// try makes one attempt.
func (c *Chain) try(ctx context.Context, m *Model, t *Turn) (*Answer, error) {
	body, err := encode(m, &t.Request)
	if err != nil {
		return nil, &Error{Model: m.Name, Kind: Malformed}
	}
	if t.Reserve != nil {
		if err := t.Reserve(ctx, estimate(body, &t.Request)); err != nil {
			return nil, err
		}
	}
	began := clock.System{}.Now()
	done := Attempt{Model: m.Name}
	calling, stage := telemetry.ModelCalls.Begin(ctx, m.Name)
	answer, err := c.client.send(calling, m, body, func(part string) error {
		if done.First == 0 {
			done.First = clock.System{}.Now().Sub(began)
		}
		if t.OnText == nil {
			return nil
		}
		return t.OnText(m.Name, part)
	})
	stage.End(err)
	done.Latency = clock.System{}.Now().Sub(began)
	var failed *Error
	var stopped *StoppedError
	switch {
	case err == nil:
		done.Usage = answer.Usage
	case errors.As(err, &failed):
		done.Kind, done.Usage = failed.Kind, failed.Spent
	case errors.As(err, &stopped):
		done.Kind, done.Usage = Stopped, stopped.Spent
	}
	done.Cost = m.Cost(done.Usage)
	done.count()
	if t.OnAttempt != nil {
		t.OnAttempt(ctx, done)
	}
	return answer, err
}

// count adds an attempt to the metrics.
func (a *Attempt) count() {
	telemetry.ModelAnswers.Add(1, a.Model, cmp.Or(string(a.Kind), "answered"))
	telemetry.ModelTokens.Add(a.Usage.Input, a.Model, "in")
	telemetry.ModelTokens.Add(a.Usage.Output, a.Model, "out")
}

// note logs a failure, cools the model down and reports a wrong key or address.
func (c *Chain) note(ctx context.Context, m *Model, e *Error) {
	wait := coolDown(e)
	c.log.WarnContext(
		ctx, "a model did not answer", "model", m.Name, "kind", e.Kind, "status", e.Status, "cool_down", wait,
	)
	fresh, err := c.cool.set(ctx, m, e.Kind, wait)
	if err == nil && fresh && e.Kind == Access && c.alert != nil {
		err = c.alert(context.WithoutCancel(ctx), m.Name)
	}
	if err != nil {
		c.log.ErrorContext(ctx, "a failed model was not noted", "model", m.Name, "error", err)
	}
}
