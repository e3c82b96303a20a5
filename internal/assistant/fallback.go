package assistant

import (
	"context"

	"github.com/go-json-experiment/json"

	"banca/internal/assistant/dates"
	"banca/internal/platform/completion"
)

// fallback answers without a model: the figures that were read already, or else the plain tools' figures for the days
// that the question names.
func (s *Service) fallback(ctx context.Context, r *run, reason string) error {
	if r.text.Len() > 0 {
		r.add(ctx, "\n\n---\n\n")
	}
	r.add(ctx, reason+"\n\n")
	if len(r.results) == 0 {
		if err := s.plain(ctx, r); err != nil {
			return err
		}
	}
	shown := false
	for i := range r.results {
		if r.results[i].Problem == "" {
			r.add(ctx, Markdown(&r.results[i], r.language))
			shown = true
		}
	}
	if !shown {
		r.add(ctx, r.texts().nothing)
	}
	return nil
}

// plain runs the plain tools.
func (s *Service) plain(ctx context.Context, r *run) error {
	args := Arguments{}
	if found, ok := dates.Find(r.question, s.today()); ok {
		args.Date = found.Phrase
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return err
	}
	for i := range s.Tools {
		if !s.Tools[i].Plain {
			continue
		}
		if _, err := s.call(ctx, r, &completion.Call{Name: s.Tools[i].Name, Arguments: string(encoded)}); err != nil {
			return err
		}
	}
	return nil
}
