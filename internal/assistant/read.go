package assistant

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
)

// States of a message.
const (
	StatePending = "pending"
	StateRunning = "running"
	StateDone    = "done"
	StateStopped = "stopped"
	StateFailed  = "failed"
)

// Message is a question with its answer.
type Message struct {
	ID             uuid.UUID
	ConversationID uuid.UUID
	Question       string
	State          string
	Answer         string // Markdown; empty until it is finished
	Model          string // that wrote it; "" if no model did
	Cut            bool
	Untraced       []string
	Results        []Result
	ErrorCode      string
	CreatedAt      time.Time
	FinishedAt     time.Time // zero until it is finished
}

// Finished reports whether nothing more is written.
func (m *Message) Finished() bool { return m.State != StatePending && m.State != StateRunning }

// Periods are the days of the figures, each period once; a comparison has two.
func (m *Message) Periods() (list []Period) {
	for i := range m.Results {
		for _, period := range []Period{{m.Results[i].From, m.Results[i].To}, m.Results[i].Other} {
			if m.Results[i].Problem == "" && period != (Period{}) && !slices.Contains(list, period) {
				list = append(list, period)
			}
		}
	}
	return list
}

// Conversation is a sequence of messages of one user.
type Conversation struct {
	ID        uuid.UUID
	Title     string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// messageSQL selects messages; $1 is how long an unfinished one may be silent, in seconds.
const messageSQL = `SELECT m.id, m.conversation_id, m.question, CASE WHEN d.dead THEN 'failed' ELSE m.state END, m.answer, m.model, m.cut, m.untraced, m.results,
	CASE WHEN d.dead THEN 'ANSWER_INTERRUPTED' ELSE m.error_code END, m.created_at, m.finished_at
	FROM assistant_messages m JOIN assistant_conversations c ON c.id = m.conversation_id
	CROSS JOIN LATERAL (SELECT m.state IN ('pending', 'running') AND m.updated_at <= clock_timestamp() - make_interval(secs => $1) AS dead) d`

func scanMessage(row pgx.CollectableRow) (m Message, err error) {
	var results []byte
	var finished *time.Time
	err = row.Scan(
		&m.ID, &m.ConversationID, &m.Question, &m.State, &m.Answer, &m.Model, &m.Cut, &m.Untraced, &results,
		&m.ErrorCode, &m.CreatedAt, &finished,
	)
	if err != nil {
		return m, err
	}
	m.CreatedAt = m.CreatedAt.UTC()
	if finished != nil {
		m.FinishedAt = finished.UTC()
	}
	return m, json.Unmarshal(results, &m.Results)
}

// Message returns a message of the caller. Errors: ErrMessageNotFound.
func (s *Service) Message(ctx context.Context, by caller.Caller, id uuid.UUID) (*Message, error) {
	return storage.One(ctx, s.PG.Pool, "read message", ErrMessageNotFound, scanMessage,
		messageSQL+` WHERE m.id = $2 AND c.user_id = $3 AND c.entity_id = $4`, lost.Seconds(), id, by.UserID,
		by.EntityID)
}

// Messages returns the messages of a conversation of the caller, oldest first. Errors: ErrConversationNotFound.
func (s *Service) Messages(ctx context.Context, by caller.Caller, conversation uuid.UUID) ([]Message, error) {
	if _, err := s.Conversation(ctx, by, conversation); err != nil {
		return nil, err
	}
	return storage.Collect(ctx, s.PG.Pool, "read messages", scanMessage,
		messageSQL+` WHERE m.conversation_id = $2 ORDER BY m.id LIMIT $3`, lost.Seconds(), conversation,
		maxMessages)
}

const conversationSQL = `SELECT id, title, created_at, updated_at FROM assistant_conversations`

func scanConversation(row pgx.CollectableRow) (c Conversation, err error) {
	err = row.Scan(&c.ID, &c.Title, &c.CreatedAt, &c.UpdatedAt)
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return c, err
}

// Conversation returns a conversation of the caller. Errors: ErrConversationNotFound.
func (s *Service) Conversation(ctx context.Context, by caller.Caller, id uuid.UUID) (*Conversation, error) {
	return s.one(ctx, conversationSQL+` WHERE id = $1 AND user_id = $2 AND entity_id = $3`, id, by.UserID, by.EntityID)
}

func (s *Service) one(ctx context.Context, sql string, args ...any) (*Conversation, error) {
	return storage.One(ctx, s.PG.Pool, "conversation", ErrConversationNotFound, scanConversation, sql, args...)
}

// Position is a place in the list of conversations; the zero Position is its beginning.
type Position struct {
	UpdatedAt time.Time
	ID        uuid.UUID
}

// Conversations returns the conversations of the caller after a position, the newest first.
func (s *Service) Conversations(
	ctx context.Context, by caller.Caller, after Position, limit int,
) ([]Conversation, error) {
	return storage.Collect(ctx, s.PG.Pool, "list conversations", scanConversation,
		conversationSQL+` WHERE user_id = $1 AND entity_id = $2 AND ($3 OR (updated_at, id) < ($4, $5))
		ORDER BY updated_at DESC, id DESC LIMIT $6`, by.UserID, by.EntityID, after == Position{}, after.UpdatedAt, after.ID, limit)
}

// Rename sets the title of a conversation. Errors: ErrTitle, ErrConversationNotFound.
func (s *Service) Rename(ctx context.Context, by caller.Caller, id uuid.UUID, title string) (*Conversation, error) {
	if utf8.RuneCountInString(title) > maxTitle {
		return nil, ErrTitle
	}
	if title = Clean(title, maxTitle); title == "" {
		return nil, ErrTitle
	}
	return s.one(ctx, `UPDATE assistant_conversations SET title = $4 WHERE id = $1 AND user_id = $2 AND entity_id = $3
		RETURNING id, title, created_at, updated_at`, id, by.UserID, by.EntityID, title)
}

// Delete deletes a conversation with its messages; an answer that is being written ends. Errors:
// ErrConversationNotFound.
func (s *Service) Delete(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	tag, err := s.PG.Pool.Exec(
		ctx, `DELETE FROM assistant_conversations WHERE id = $1 AND user_id = $2 AND entity_id = $3`, id, by.UserID,
		by.EntityID,
	)
	if err != nil {
		return fmt.Errorf("delete conversation: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrConversationNotFound
	}
	return nil
}

// Stop ends the writing of an answer and keeps the written part. A message whose run has not begun or is dead stops
// at once. Stopping a finished message changes nothing. Errors: ErrMessageNotFound.
func (s *Service) Stop(ctx context.Context, by caller.Caller, id uuid.UUID) (*Message, error) {
	if _, err := s.Message(ctx, by, id); err != nil {
		return nil, err
	}
	_, err := s.PG.Pool.Exec(ctx, `UPDATE assistant_messages SET stop_requested = true,
			state = CASE WHEN live THEN state ELSE 'stopped' END, finished_at = CASE WHEN live THEN NULL ELSE clock_timestamp() END
		FROM (SELECT id AS key, state = 'running' AND updated_at > clock_timestamp() - make_interval(secs => $2) AS live FROM assistant_messages WHERE id = $1) l
		WHERE id = l.key AND state IN ('pending', 'running')`, id, alive.Seconds())
	if err != nil {
		return nil, fmt.Errorf("stop message: %w", err)
	}
	return s.Message(ctx, by, id)
}
