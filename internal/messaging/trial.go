package messaging

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/phone"
	"banca/storage"
)

// KindTest is the kind of a message by which a person tests a connection.
const KindTest = "test"

// testText returns the text of a test message in a language.
func testText(language string) string {
	if language == "en" {
		return "Test message. If you can read it, the connection works."
	}
	return "Mensaje de prueba. Si lo lee, la conexión funciona."
}

// Test is a message by which a person tests the channel of an entity. Its text is fixed: it is no way to write to
// customers.
type Test struct {
	EntityID  uuid.UUID
	Recipient string // E.164
	Language  string // es or en
	Key       string // the client's idempotency key; empty for none
}

func (t *Test) message() *Outgoing {
	return &Outgoing{EntityID: t.EntityID, Kind: KindTest, Recipient: t.Recipient, Body: testText(t.Language)}
}

// SendTest queues a test message, paced and logged like any other. Errors: ErrInvalidRecipient,
// org.ErrEntityNotFound, errors of idempotency.
func (s *Service) SendTest(ctx context.Context, by caller.Caller, t *Test) (id uuid.UUID, again bool, err error) {
	if err := t.message().Validate(); err != nil {
		return uuid.Nil, false, err
	}
	if _, err := s.deps.Org.Entity(ctx, by, t.EntityID); err != nil {
		return uuid.Nil, false, err
	}
	key, err := idempotency.KeyOf(by.EntityID, t.Key)
	if err != nil {
		return uuid.Nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{
		Key:     key,
		Meaning: idempotency.Of("message test", by.UserID.String(), t.EntityID.String(), t.Recipient, t.Language),
	}
	replay := func(_ context.Context, first *idempotency.Answer) (uuid.UUID, error) { return first.ID() }
	return idempotency.Once(ctx, s.deps.Pool, use, replay, func() (uuid.UUID, error) { return s.queueTest(ctx, t, use) })
}

func (s *Service) queueTest(ctx context.Context, t *Test, use idempotency.Use) (uuid.UUID, error) {
	id := uuid.Must(uuid.NewV7())
	err := storage.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
			m := t.message()
			m.ID = id
			if _, err := s.QueueTx(ctx, tx, m); err != nil {
				return err
			}
			if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: id[:]}); err != nil {
				return err
			}
			return activity.RecordPgxTx(ctx, tx, activity.Entry{
				Action: activity.MessagingTest, EntityID: t.EntityID, Target: id.String(),
				Details: map[string]any{"recipient": phone.Mask(t.Recipient)},
			})
		})
	})
	if err != nil {
		return uuid.Nil, err
	}
	s.deps.Wake()
	return id, nil
}
