package notices

import (
	"context"
	"log/slog"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/templates"
	"banca/models"
)

// wordOf reads a text that is one of the words of opt-out or return. Blanks, punctuation and case do not matter.
func wordOf(text string) (optOut, ok bool) {
	word := strings.ToUpper(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
	switch word {
	case "BAJA", "ALTO", "STOP":
		return true, true
	case "ALTA", "START":
		return false, true
	default:
		return false, false
	}
}

// Received are inbound messages of customers to the connection of an entity.
type Received struct {
	ChannelID uuid.UUID
	EntityID  uuid.UUID
	Texts     []channel.Inbound
}

// Inbound handles inbound words and confirms each change once.
func (s *Service) Inbound(ctx context.Context, r Received) error {
	list := r.Texts
	for i := range list {
		optOut, ok := wordOf(list[i].Text)
		if !ok || list[i].ID == "" || !s.usable(ctx, &r, &list[i], optOut) {
			continue
		}
		if err := s.apply(ctx, &r, &list[i], optOut); err != nil {
			return err
		}
	}
	return nil
}

// usable reports whether a wish comes from a telephone and is recent. A wish older than the kept notes of inbound
// messages, and a return without a date, may be repeats.
func (s *Service) usable(ctx context.Context, r *Received, in *channel.Inbound, optOut bool) bool {
	now := s.Clock.Now()
	why := ""
	switch {
	case in.From == "":
		why = "the provider does not tell the telephone"
	case in.At.IsZero() && !optOut:
		why = "the provider does not tell when it was written"
	case !in.At.IsZero() && in.At.Before(now.Add(-messaging.InboundMaxAge)):
		why = "it is too old"
	}
	if why != "" {
		s.Log.WarnContext(
			ctx, "notices: a wish is ignored: "+why, slog.String("channel_id", r.ChannelID.String()),
			slog.Bool("opt_out", optOut),
		)
		return false
	}
	if in.At.IsZero() || in.At.After(now) {
		in.At = now
	}
	return true
}

func (s *Service) apply(ctx context.Context, r *Received, in *channel.Inbound, optOut bool) error {
	scope, err := s.Org.Scope(ctx, r.EntityID)
	if err != nil {
		return err
	}
	confirmation := &notice{
		Outgoing: messaging.Outgoing{EntityID: r.EntityID, About: uuid.NewSHA1(r.ChannelID, []byte(in.ID)), Kind: models.MessageOptIn, Recipient: in.From},
		values: func(l templates.Language) templates.Values {
			return templates.Values{templates.FieldWord: answer(l, !optOut)}
		},
	}
	if optOut {
		confirmation.Kind = models.MessageOptOut
	}
	if _, err := s.composed(ctx, confirmation); err != nil {
		return err
	}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		fresh, err := s.Messages.InboundTx(ctx, tx, r.ChannelID, in.ID)
		if err != nil || !fresh {
			return err
		}
		changed, err := customers.ApplyTx(
			ctx, tx, &customers.Wish{EntityID: r.EntityID, Scope: scope, Phone: in.From, OptOut: optOut, At: in.At},
		)
		if err != nil || !changed {
			return err
		}
		_, err = s.Messages.QueueTx(ctx, tx, &confirmation.Outgoing)
		return err
	})
	if err == nil {
		s.Wake()
	}
	return err
}

// answer is the word that reverses the confirmed change.
func answer(l templates.Language, optOut bool) string {
	switch {
	case l == templates.English && optOut:
		return "STOP"
	case l == templates.English:
		return "START"
	case optOut:
		return "BAJA"
	default:
		return "ALTA"
	}
}
