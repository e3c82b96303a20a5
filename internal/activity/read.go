package activity

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
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
	By      string    // ByPeople or BySystem; "" for both
	Changes bool      // leaves out logins and logouts
	Removed bool      // includes removed entries
	Oldest  bool      // first; else the newest are
	Limit   int
	Offset  int
}

// The actors of Filter.By: users, or the service itself.
const (
	ByPeople = "people"
	BySystem = "system"
)

// columnsSQL has the columns of Log in its order.
const columnsSQL = `l.id, coalesce(l.seq, 0) AS seq, l.at, coalesce(l.user_id, '00000000-0000-0000-0000-000000000000') AS user_id, l.user_name,
		coalesce(l.session_id, '00000000-0000-0000-0000-000000000000') AS session_id, l.entity_id, coalesce(e.name, '') AS entity,
		l.module, l.action, l.target, l.manual, coalesce(l.amends, '00000000-0000-0000-0000-000000000000') AS amends,
		l.details, coalesce(c.details->>'note', l.details->>'note', '') AS note, l.address, l.user_agent, l.hash,
		c.id IS NOT NULL AS edited, r.id IS NOT NULL AS removed`

const fromSQL = `FROM activity_logs l
	LEFT JOIN entities e ON e.id = l.entity_id
	LEFT JOIN LATERAL (SELECT id, details FROM activity_logs a WHERE a.amends = l.id AND a.action = 'correct' ORDER BY a.seq DESC NULLS FIRST, a.id DESC LIMIT 1) c ON true
	LEFT JOIN LATERAL (SELECT id FROM activity_logs a WHERE a.amends = l.id AND a.action = 'remove' LIMIT 1) r ON true`

// countFromSQL leaves out the corrections, which a count would look for once an entry.
const countFromSQL = `FROM activity_logs l LEFT JOIN entities e ON e.id = l.entity_id`

// List returns entries in the caller's scope, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Log, int64, error) {
	listing := &storage.Listing{Columns: columnsSQL, From: fromSQL, CountFrom: countFromSQL, Where: f.where(by), Order: "l.seq DESC NULLS FIRST, l.id DESC", Key: "l.id"}
	if f.Oldest {
		listing.Order = "l.seq NULLS LAST, l.id"
	}
	list, total, err := storage.List(ctx, s.pg.Pool, listing, pgx.RowToStructByPos[Log], f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list activity: %w", err)
	}
	return list, total, nil
}

// changesSQL is the condition of the index activity_logs_changes. A generic plan of a statement with arguments in its place cannot use the index.
const changesSQL = `l.module <> 'auth' OR l.action NOT IN ('login', 'logout')`

func (f *Filter) where(by caller.Caller) *storage.Where {
	w := inScope(by)
	if f.UserID != uuid.Nil {
		w.And("l.user_id = " + w.Arg(f.UserID))
	}
	if f.Module != "" {
		w.And("l.module = " + w.Arg(f.Module))
	}
	if f.Action != "" {
		w.And("l.action = " + w.Arg(f.Action))
	}
	if f.Target != "" {
		w.And("l.target = " + w.Arg(f.Target))
	}
	if !f.From.IsZero() {
		w.And("l.at >= " + w.Arg(f.From))
	}
	if !f.To.IsZero() {
		w.And("l.at < " + w.Arg(f.To))
	}
	switch f.By {
	case ByPeople:
		w.And("l.user_id IS NOT NULL")
	case BySystem:
		w.And("l.user_id IS NULL")
	}
	if f.Changes {
		w.And(changesSQL)
	}
	if !f.Removed {
		w.And("NOT EXISTS (SELECT FROM activity_logs a WHERE a.amends = l.id AND a.action = 'remove')")
	}
	return w
}

// inScope selects the entries in the caller's scope. Those of deleted entities are visible to the operator alone.
func inScope(by caller.Caller) *storage.Where {
	w := &storage.Where{}
	w.And("e.path LIKE " + w.Arg(by.Scope.Pattern()) + " OR (e.id IS NULL AND " + w.Arg(by.IsOperator()) + ")")
	return w
}

// Get returns an entry in the caller's scope with everything that corrects or removes it, oldest first. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Log, []Log, error) {
	return get(ctx, s.pg.Pool, by, id)
}

func get(ctx context.Context, db storage.Querier, by caller.Caller, id uuid.UUID) (*Log, []Log, error) {
	w := inScope(by)
	entry := w.Arg(id)
	w.And("l.id = " + entry + " OR l.amends = " + entry)
	list, err := storage.Collect(ctx, db, "read activity", pgx.RowToStructByPos[Log], "SELECT "+columnsSQL+" "+fromSQL+w.SQL()+" ORDER BY l.id <> "+entry+", l.seq NULLS LAST, l.id", w.Args()...)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 || list[0].ID != id {
		return nil, nil, ErrNotFound
	}
	return &list[0], list[1:], nil
}
