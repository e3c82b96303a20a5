package assistant

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/assistant"
	"banca/internal/platform/caller"
)

type usageInput struct {
	kit.PageParams
	From string `query:"from" format:"date" doc:"first business day; to without it"`
	To   string `query:"to" format:"date" doc:"last business day; from without it; today without both"`
}

// usage is what a model was used for by the users of an entity, as JSON.
type usage struct {
	EntityID  uuid.UUID `json:"entity_id"`
	Entity    string    `json:"entity"`
	Model     string    `json:"model"`
	Attempts  int64     `json:"attempts"`
	Failed    int64     `json:"failed"`
	Input     int64     `json:"input_tokens"`
	Output    int64     `json:"output_tokens"`
	Cost      string    `json:"cost" doc:"US dollars" example:"0.012500"`
	LatencyMS int64     `json:"latency_ms" doc:"mean of an attempt"`
	FirstMS   int64     `json:"first_ms" doc:"mean to the first text"`
}

func usageBody(u assistant.Usage) usage {
	const whole = 1_000_000
	return usage{
		EntityID: u.EntityID, Entity: u.Entity, Model: u.Model, Attempts: u.Attempts, Failed: u.Failed, Input: u.Input, Output: u.Output,
		Cost: fmt.Sprintf("%d.%06d", u.Cost/whole, u.Cost%whole), LatencyMS: u.LatencyMS, FirstMS: u.FirstMS,
	}
}

func (o *operations) usage(ctx context.Context, by caller.Caller, in *usageInput) (*kit.List[usage], error) {
	list, _, total, err := o.assistant.Spent(ctx, by, &assistant.UsageFilter{From: kit.Day(in.From), To: kit.Day(in.To), Limit: in.PageSize, Offset: in.Offset()})
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(list, usageBody), &in.PageParams, total), nil
}
