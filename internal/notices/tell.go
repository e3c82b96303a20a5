package notices

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging"
	"banca/internal/messaging/templates"
)

// nothing is what is told of a thing that is not there, such as no prize.
const nothing = ""

// telling is a version of a thing that a recipient is to know. Its notice has no kind yet.
type telling struct {
	notice

	of    messaging.Thing // the key of what was told
	kinds kinds
	// with returns the values of a message that corrects what was told before, "" for none.
	with func(l templates.Language, before string) templates.Values
}

// kinds are the kinds of the messages about a thing; an empty one is not sent.
type kinds struct{ first, corrected, withdrawn string }

// kindOf returns the kind of the message that brings a recipient from what it was told to now, "" for none, and whether messages that wait are wrong.
func (k kinds) kindOf(told messaging.Told, now string) (kind string, replaces bool) {
	switch {
	case told.Waits && told.Waiting == now:
		return "", false
	case told.Reached && told.Last == now, !told.Reached && now == nothing:
		return "", told.Waits
	case !told.Reached:
		return k.first, told.Waits
	case k.corrected == "":
		return "", false
	case now == nothing:
		return k.withdrawn, told.Waits
	default:
		return k.corrected, told.Waits
	}
}

// toldOf is the question what recipients were told of things; no recipients means everybody.
type toldOf struct {
	about      []uuid.UUID
	recipients []string
}

// tell queues what brings recipients from what they were told to what is so now. A message that waits is replaced; if it is sent or replaced meanwhile,
// what they were told is read again.
func (s *Service) tell(ctx context.Context, of toldOf, list []*telling) error {
	const tries = 3
	for range tries {
		told, failed := s.Messages.Told(ctx, of.about, of.recipients)
		if failed != nil {
			return failed
		}
		if failed = s.tellAll(ctx, told, list); !errors.Is(failed, errMeanwhile) {
			return failed
		}
	}
	return errMeanwhile
}

// tellAll queues the messages in one transaction. Errors: errMeanwhile.
func (s *Service) tellAll(ctx context.Context, told map[messaging.Thing]messaging.Told, list []*telling) error {
	var queued []*notice
	var replaced []*telling
	for _, t := range list {
		before := told[t.of]
		kind, replaces := t.kinds.kindOf(before, t.Told)
		if replaces {
			replaced = append(replaced, t)
		}
		if t.Kind = kind; kind == "" {
			continue
		}
		t.values = func(l templates.Language) templates.Values { return t.with(l, before.Last) }
		wanted, err := s.composed(ctx, &t.notice)
		if err != nil {
			return err
		}
		if wanted {
			queued = append(queued, &t.notice)
		}
	}
	if len(queued)+len(replaced) == 0 {
		return nil
	}
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		for _, t := range replaced {
			n, err := s.Messages.ReplaceTx(ctx, tx, t.of, t.Version)
			if err != nil {
				return err
			}
			if n == 0 {
				return errMeanwhile
			}
		}
		return s.queueTx(ctx, tx, queued)
	})
	if err == nil {
		s.Wake()
	}
	return err
}
