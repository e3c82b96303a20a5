package templates

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
	"banca/internal/org"
)

// Request asks for the text of a message.
type Request struct {
	EntityID uuid.UUID
	Purpose  Purpose
	// Values returns the values in a language. Those of entity, greeting and signature are filled in.
	Values func(Language) Values
}

// Message is a text to send.
type Message struct {
	Body     string
	Template *channel.Template // nil without a provider's
}

// Compose returns the message of an entity, or nil if its settings want none. A text that another process has changed is
// used within seconds. Errors: org.ErrEntityNotFound.
func (s *Service) Compose(ctx context.Context, r *Request) (*Message, error) {
	chain, err := s.org.Chain(ctx, r.EntityID)
	if err != nil {
		return nil, err
	}
	settings := chain.Messaging()
	if !wanted(&settings, r.Purpose) {
		return nil, nil //nolint:nilnil // no message is a setting
	}
	l := language(&settings)
	stored, err := s.used.Get(ctx, usedBy{chain.Path(), r.Purpose}, func(ctx context.Context) ([]row, error) {
		return s.stored(ctx, chain, r.Purpose)
	})
	if err != nil {
		return nil, err
	}
	text := effective(chain, stored, r.Purpose, l)
	t, wrong := check(r.Purpose, l, text.Body)
	if len(wrong) > 0 { // a release changed what texts may have
		text = effective(chain, nil, r.Purpose, l)
		t, _ = check(r.Purpose, l, text.Body)
	}
	values := r.Values(l)
	values.addCommon(chain)
	return fillIn(&t, r.Purpose, &text.Provider, values), nil
}

// Wanted reports whether an entity sends messages of a purpose. Errors: org.ErrEntityNotFound.
func (s *Service) Wanted(ctx context.Context, entityID uuid.UUID, p Purpose) (bool, error) {
	chain, err := s.org.Chain(ctx, entityID)
	if err != nil {
		return false, err
	}
	settings := chain.Messaging()
	return wanted(&settings, p), nil
}

// wanted reports whether the settings of an entity enable a message. Messages cost money, so the default is off.
func wanted(m *org.MessagingSettings, p Purpose) bool {
	on := func(setting *bool, fallback bool) bool {
		if setting == nil {
			return fallback
		}
		return *setting
	}
	enabled := on(m.Enabled, true)
	switch p {
	case Receipt:
		return enabled && on(m.Receipts, true)
	case Cancellation:
		return enabled && on(m.Cancellations, true)
	case Prize, PrizeCorrected, PrizeWithdrawn:
		return enabled && on(m.Prizes, false)
	case Results, ResultsCorrected:
		return enabled && on(m.Results, false)
	case DailyClose:
		return on(m.Closes, false)
	case Settlement:
		return on(m.Settlements, false)
	default:
		return true
	}
}

func language(m *org.MessagingSettings) Language {
	if l := Language(m.Language); slices.Contains(Languages(), l) {
		return l
	}
	return Spanish
}

// addCommon adds the values that come from the entity.
func (v Values) addCommon(chain org.Chain) {
	settings := chain.Messaging()
	v[FieldEntity], v[FieldGreeting], v[FieldSignature] = chain.Printing().Title, settings.Greeting, settings.Signature
}

// fillIn returns the message of a text. Values of a provider's template have one line, because providers refuse
// others, and are not empty.
func fillIn(t *parsed, p Purpose, provider *Provider, v Values) *Message {
	m := &Message{Body: t.fill(v)}
	if provider.Name == "" {
		return m
	}
	fields := p.Fields()
	value := func(key string) string {
		f := byKey(fields, key)
		if f == nil {
			return ""
		}
		if text := strings.Join(strings.Fields(f.clean(v[key])), " "); text != "" {
			return text
		}
		return "-"
	}
	m.Template = &channel.Template{Name: provider.Name, Language: provider.Language}
	for _, key := range provider.Values {
		m.Template.Body = append(m.Template.Body, value(key))
	}
	if provider.Button != "" {
		m.Template.Button = value(provider.Button)
	}
	return m
}
