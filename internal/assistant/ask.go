package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Question asks the assistant.
type Question struct {
	ConversationID uuid.UUID // Nil begins one
	Text           string
	Language       string // of an answer that no model writes
	IdempotencyKey string
}

// Ask writes a question and enqueues its answer. Errors: ErrQuestion, ErrConversationNotFound, ErrBusy, ErrFull,
// ErrBudget, errors of idempotency.
func (s *Service) Ask(ctx context.Context, by caller.Caller, q *Question) (*Message, bool, error) {
	if utf8.RuneCountInString(q.Text) > maxQuestion {
		return nil, false, ErrQuestion
	}
	text := cleanLines(q.Text, maxQuestion)
	if text == "" {
		return nil, false, ErrQuestion
	}
	key, err := idempotency.KeyOf(by.EntityID, q.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{
		Key: key, Meaning: idempotency.Of("chat", by.UserID.String(), q.ConversationID.String(), q.Text),
	}
	replay := func(ctx context.Context, first *idempotency.Answer) (*Message, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.Message(ctx, by, id)
	}
	return idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Message, error) { return s.ask(ctx, by, q, text, use) })
}

func (s *Service) ask(
	ctx context.Context, by caller.Caller, q *Question, text string, use idempotency.Use,
) (*Message, error) {
	if err := s.checkBudget(ctx, by.EntityID); err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	row, err := outbox.NewRow(tasks.AssistantAnswer{MessageID: id})
	if err != nil {
		return nil, err
	}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := limitTx(ctx, tx, by); err != nil {
			return err
		}
		conversation, err := conversationTx(ctx, tx, by, q.ConversationID, text)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO assistant_messages (id, conversation_id, question, language, created_at, updated_at)
			VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())`, id, conversation, text, q.Language)
		if err != nil {
			return fmt.Errorf("create message: %w", err)
		}
		if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: id[:]}); err != nil {
			return err
		}
		return outbox.EnqueueTx(ctx, tx, row)
	})
	if err != nil {
		return nil, err
	}
	s.Wake()
	return s.Message(ctx, by, id)
}

// limitTx refuses a question of a user with too many unfinished ones. It locks the row of the user. Errors: ErrBusy.
func limitTx(ctx context.Context, tx pgx.Tx, by caller.Caller) error {
	if _, err := tx.Exec(ctx, `SELECT 1 FROM users WHERE id = $1 FOR UPDATE`, by.UserID); err != nil {
		return fmt.Errorf("lock user: %w", err)
	}
	var unfinished int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM assistant_conversations c JOIN assistant_messages m ON m.conversation_id = c.id
		WHERE c.user_id = $1 AND c.updated_at > statement_timestamp() - make_interval(secs => $2)
			AND m.state IN ('pending', 'running') AND m.updated_at > clock_timestamp() - make_interval(secs => $2)`, by.UserID, lost.Seconds()).Scan(&unfinished)
	if err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	if unfinished >= maxUnfinished {
		return ErrBusy
	}
	return nil
}

// conversationTx returns the conversation of a question, a new one for Nil. Errors: ErrConversationNotFound, ErrBusy,
// ErrFull.
func conversationTx(ctx context.Context, tx pgx.Tx, by caller.Caller, id uuid.UUID, text string) (uuid.UUID, error) {
	if id == uuid.Nil {
		id = uuid.Must(uuid.NewV7())
		_, err := tx.Exec(ctx, `INSERT INTO assistant_conversations (id, user_id, entity_id, title, created_at, updated_at)
			VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())`, id, by.UserID, by.EntityID, titleOf(text))
		if err != nil {
			return id, fmt.Errorf("create conversation: %w", err)
		}
		return id, nil
	}
	var all, unfinished int
	err := tx.QueryRow(ctx, `UPDATE assistant_conversations SET updated_at = clock_timestamp() WHERE id = $1 AND user_id = $2 AND entity_id = $3
		RETURNING (SELECT count(*) FROM assistant_messages WHERE conversation_id = $1),
			(SELECT count(*) FROM assistant_messages WHERE conversation_id = $1 AND state IN ('pending', 'running')
				AND updated_at > clock_timestamp() - make_interval(secs => $4))`, id, by.UserID, by.EntityID, lost.Seconds()).Scan(&all, &unfinished)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return id, ErrConversationNotFound
	case err != nil:
		return id, fmt.Errorf("read conversation: %w", err)
	case unfinished > 0:
		return id, ErrBusy
	case all >= maxMessages:
		return id, ErrFull
	}
	return id, nil
}

// titleOf is the beginning of a question, up to a word.
func titleOf(text string) string {
	const short = 60
	title := Clean(text, maxTitle)
	if utf8.RuneCountInString(title) <= short {
		return title
	}
	cut := string([]rune(title)[:short])
	if at := strings.LastIndex(cut, " "); at > short/2 {
		cut = cut[:at]
	}
	return cut + "…"
}
