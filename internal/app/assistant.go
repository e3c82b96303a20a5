package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/assistant"
	"banca/internal/assistant/eval"
	"banca/internal/assistant/tools"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
	"banca/internal/platform/config"
)

// newAssistant returns the assistant with the configured models.
func newAssistant(st *stores, cfg *config.Config, s *services, clk clock.Clock, log *slog.Logger) (*assistant.Service, error) {
	models, err := newModels(&cfg.Assistant)
	if err != nil {
		return nil, err
	}
	chain, err := completion.NewChain(&completion.Options{
		Models: models, Redis: st.redis, Log: log,
		Client: completion.NewClient(completion.Timeouts{FirstByte: cfg.Assistant.FirstByte, Idle: cfg.Assistant.Silence, Total: cfg.Assistant.CallTimeout}, nil),
		Alert: func(ctx context.Context, model string) error {
			return s.alerts.Raise(ctx, alerts.ModelRefused, model, 1)
		},
	})
	if err != nil {
		return nil, err
	}
	s.models, s.chain = chain, chain
	tokens := func(ctx context.Context, entity uuid.UUID) (int64, error) {
		chain, err := s.org.Chain(ctx, entity)
		if err != nil {
			return 0, err
		}
		return chain.AssistantTokens(cfg.Assistant.DailyTokens), nil
	}
	return assistant.New(assistant.Deps{
		PG: st.pg, Redis: st.redis, Auth: s.auth, Models: chain, Clock: clk, Zone: cfg.Business.Zone, Log: log, Tokens: tokens, Retention: cfg.Assistant.ChatRetention, Wake: s.notifier.Wake,
		Tools: tools.New(tools.Deps{
			Org: s.org, Catalog: s.catalog, Ledger: s.ledger, Reports: s.reports, Exposure: s.exposure, Prizes: s.prizes, Draws: s.draws, Sales: s.sales, Closes: s.closes, Clock: clk, Zone: cfg.Business.Zone,
		}),
	})
}

// EvaluateAssistant asks the configured models the questions of internal/assistant/eval, and writes what they did wrong and the score.
func (a *App) EvaluateAssistant(ctx context.Context, out io.Writer) error {
	_, err := eval.Run(ctx, a.services.models, out)
	return err
}

// newModels returns the configured models with their keys.
func newModels(cfg *config.Assistant) ([]completion.Model, error) {
	var out []completion.Model
	for i := range cfg.AssistantModels {
		m := &cfg.AssistantModels[i]
		input, err := completion.ParsePrice(m.InputPrice)
		if err != nil {
			return nil, err
		}
		output, err := completion.ParsePrice(m.OutputPrice)
		if err != nil {
			return nil, err
		}
		out = append(out, completion.Model{Name: m.Name, URL: m.URL, ID: m.Model, Key: cfg.AssistantKeys[m.Name].Reveal(), Input: input, Output: output, Whole: m.Whole})
	}
	return out, nil
}
