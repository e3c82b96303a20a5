package notices

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging"
	"banca/internal/messaging/templates"
)

// nothing marks the absence of a prize or result.
const nothing = ""

// update is a version of a subject for a recipient. Its notice has no kind yet.
type update struct {
	notice

	of    messaging.Subject // the key of the versions
	kinds kinds
	// with returns the values of a message that corrects the previous version, "" for none.
	with func(l templates.Language, before string) templates.Values
}

// kinds are the kinds of the messages about a subject; an empty one is not sent.
type kinds struct{ first, corrected, withdrawn string }

// kindOf returns the kind of the message to send next, "" for none, and whether queued older versions must be replaced.
func (k kinds) kindOf(last messaging.Delivered, now string) (kind string, replaces bool) {
	switch {
	case last.Waits && last.Waiting == now:
		return "", false
	case last.Reached && last.Last == now, !last.Reached && now == nothing:
		return "", last.Waits
	case !last.Reached:
		return k.first, last.Waits
	case k.corrected == "":
		return "", false
	case now == nothing:
		return k.withdrawn, last.Waits
	default:
		return k.corrected, last.Waits
	}
}

// query selects delivered versions; nil recipients means all.
type query struct {
	about      []uuid.UUID
	recipients []string
}

// sync queues the messages that bring recipients up to the current version. A queued message is replaced; if it is sent
// or replaced meanwhile, the delivered versions are read again.
func (s *Service) sync(ctx context.Context, of query, list []*update) error {
	const tries = 3
	for range tries {
		delivered, failed := s.Messages.Delivered(ctx, of.about, of.recipients)
		if failed != nil {
			return failed
		}
		if failed = s.queueAll(ctx, delivered, list); !errors.Is(failed, errMeanwhile) {
			return failed
		}
	}
	return errMeanwhile
}

// queueAll queues the messages in one transaction. Errors: errMeanwhile.
func (s *Service) queueAll(
	ctx context.Context, delivered map[messaging.Subject]messaging.Delivered, list []*update,
) error {
	var queued []*notice
	var replaced []*update
	for _, u := range list {
		before := delivered[u.of]
		kind, replaces := u.kinds.kindOf(before, u.Content)
		if replaces {
			replaced = append(replaced, u)
		}
		if u.Kind = kind; kind == "" {
			continue
		}
		u.values = func(l templates.Language) templates.Values { return u.with(l, before.Last) }
		wanted, err := s.composed(ctx, &u.notice)
		if err != nil {
			return err
		}
		if wanted {
			queued = append(queued, &u.notice)
		}
	}
	if len(queued)+len(replaced) == 0 {
		return nil
	}
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		for _, u := range replaced {
			n, err := s.Messages.ReplaceTx(ctx, tx, u.of, u.Version)
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
