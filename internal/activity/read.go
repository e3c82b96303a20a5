package activity

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/caller"
)

// Log is an entry as it stands: with what people corrected.
type Log struct {
	ID        uuid.UUID
	Seq       int64 // place in the chain; 0 while the entry is not linked
	At        time.Time
	UserID    uuid.UUID // Nil is the service itself
	UserName  string    // as it was
	SessionID uuid.UUID
	EntityID  uuid.UUID
	Entity    string // name of the entity, "" where it was deleted
	Module    string
	Action    string
	Target    string
	Manual    bool
	Amends    uuid.UUID // the entry that this one corrects or removes; else Nil
	Details   jsontext.Value
	Note      string // a person's; the newest correction's
	Address   string
	UserAgent string
	Hash      []byte
	Edited    bool // there is a correction
	Removed   bool // a person removed it from the lists
}

// Filter selects entries; zero fields select all.
type Filter struct {
	UserID  uuid.UUID
	Module  string
	Action  string
	Target  string
	From    time.Time // inclusive
	To      time.Time // exclusive
	Removed bool      // includes removed entries
	Oldest  bool      // first; else the newest are
	Limit   int
	Offset  int
}

// selectSQL reads entries of a scope. Those of entities that are gone are seen from the root alone.
const selectSQL = `
	SELECT l.id, coalesce(l.seq, 0) AS seq, l.at, coalesce(l.user_id, '00000000-0000-0000-0000-000000000000') AS user_id, l.user_name,
		coalesce(l.session_id, '00000000-0000-0000-0000-000000000000') AS session_id, l.entity_id, coalesce(e.name, '') AS entity,
		l.module, l.action, l.target, l.manual, coalesce(l.amends, '00000000-0000-0000-0000-000000000000') AS amends,
		l.details, coalesce(c.details->>'note', l.details->>'note', '') AS note, l.address, l.user_agent, l.hash,
		c.id IS NOT NULL AS edited, r.id IS NOT NULL AS removed`

const fromSQL = `
	FROM activity_logs l
	LEFT JOIN entities e ON e.id = l.entity_id
	LEFT JOIN LATERAL (SELECT id, details FROM activity_logs a WHERE a.amends = l.id AND a.action = 'correct' ORDER BY a.seq DESC NULLS FIRST, a.id DESC LIMIT 1) c ON true
	LEFT JOIN LATERAL (SELECT id FROM activity_logs a WHERE a.amends = l.id AND a.action = 'remove' LIMIT 1) r ON true
` + scopeSQL

const scopeSQL = `
	WHERE (e.path LIKE @scope OR (e.id IS NULL AND @root))`

// countSQL leaves out the corrections, which a count would look for once an entry.
const countSQL = `SELECT count(*) FROM activity_logs l LEFT JOIN entities e ON e.id = l.entity_id` + scopeSQL

// List returns entries in the caller's scope, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Log, int64, error) {
	where, args := f.where(by)
	var total int64
	if err := s.db.WithContext(ctx).Raw(countSQL+where, args).Scan(&total).Error; err != nil {
		return nil, 0, fmt.Errorf("count activity: %w", err)
	}
	order := " ORDER BY l.seq DESC NULLS FIRST, l.id DESC"
	if f.Oldest {
		order = " ORDER BY l.seq NULLS LAST, l.id"
	}
	args["limit"], args["offset"] = f.Limit, f.Offset
	var list []Log
	if err := s.db.WithContext(ctx).Raw(selectSQL+fromSQL+where+order+" LIMIT @limit OFFSET @offset", args).Scan(&list).Error; err != nil {
		return nil, 0, fmt.Errorf("list activity: %w", err)
	}
	return list, total, nil
}

func (f *Filter) where(by caller.Caller) (string, map[string]any) {
	var b strings.Builder
	args := scopeArgs(by)
	add := func(used bool, condition, name string, value any) {
		if used {
			b.WriteString(" AND " + condition)
			args[name] = value
		}
	}
	add(f.UserID != uuid.Nil, "l.user_id = @user", "user", f.UserID)
	add(f.Module != "", "l.module = @module", "module", f.Module)
	add(f.Action != "", "l.action = @action", "action", f.Action)
	add(f.Target != "", "l.target = @target", "target", f.Target)
	add(!f.From.IsZero(), "l.at >= @from", "from", f.From)
	add(!f.To.IsZero(), "l.at < @to", "to", f.To)
	if !f.Removed {
		b.WriteString(" AND NOT EXISTS (SELECT FROM activity_logs a WHERE a.amends = l.id AND a.action = 'remove')")
	}
	return b.String(), args
}

// scopeArgs are the pattern of the paths in the caller's scope, and whether it is the whole organisation.
func scopeArgs(by caller.Caller) map[string]any {
	return map[string]any{"scope": by.Scope.Pattern(), "root": by.IsOperator()}
}

// Get returns an entry in the caller's scope with everything that corrects or removes it, oldest first. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Log, []Log, error) {
	return s.get(s.db.WithContext(ctx), by, id)
}

func (s *Service) get(db *gorm.DB, by caller.Caller, id uuid.UUID) (*Log, []Log, error) {
	args := scopeArgs(by)
	args["id"] = id
	var list []Log
	if err := db.Raw(selectSQL+fromSQL+" AND (l.id = @id OR l.amends = @id) ORDER BY l.id <> @id, l.seq NULLS LAST, l.id", args).Scan(&list).Error; err != nil {
		return nil, nil, fmt.Errorf("read activity: %w", err)
	}
	if len(list) == 0 || list[0].ID != id {
		return nil, nil, ErrNotFound
	}
	return &list[0], list[1:], nil
}
