package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// plannedDraw is a draw as it is wanted. Its date and number say which one it is.
type plannedDraw struct {
	number string
	date   businessday.Day
	at     time.Time
	stop   time.Time
	fixed  bool // stop was given for this draw
	// keepEqual: a draw that has the same stop, and was not given it, stays so
	keepEqual bool
	opens     time.Time // zero: not opened by a task
	status    string    // scheduled or open; empty: unchanged, or by opens (see fill)
	request   int       // its place in the request, -1 for none
}

// status a new draw begins with.
func (p *plannedDraw) first() string {
	switch {
	case p.status != "":
		return p.status
	case !p.opens.IsZero():
		return models.DrawScheduled
	default:
		return models.DrawOpen
	}
}

// present is a draw as it is.
type present struct {
	ID     uuid.UUID
	Number string
	Date   businessday.Day
	At     time.Time
	Stop   time.Time
	Fixed  bool // Stop was given for this draw
	Opens  *time.Time
	Status string
}

const selectPresent = `SELECT id, draw_number, local_date, draw_time, sale_stop_at, sale_stop_explicit, opens_at, status FROM draws WHERE `

// over reports whether the sales of a draw have ended, whether or not the closing task has run.
func (p *present) over(now time.Time) bool {
	return (p.Status != models.DrawOpen && p.Status != models.DrawScheduled) || !now.Before(p.Stop)
}

// fill returns want with its empty fields taken from the existing draw. A draw that loses its planned opening is put
// on sale, because no task would open it; the opening instant of an open draw does not matter.
func (p *present) fill(want *plannedDraw) *plannedDraw {
	filled := *want
	if want.request >= 0 && !p.Fixed && want.at.Equal(p.At) { // by hand: only a change of the game moves an inherited stop
		if !want.fixed {
			filled.stop = p.Stop
		}
		filled.fixed = want.fixed && (!want.keepEqual || !want.stop.Equal(p.Stop))
	}
	switch {
	case p.Opens == nil || !want.opens.IsZero():
	case p.Status != models.DrawScheduled && want.status != models.DrawScheduled:
		filled.opens = p.Opens.UTC()
	case want.status == "":
		filled.status = models.DrawOpen
	}
	return &filled
}

// differs reports whether a draw is not as it is wanted.
func (p *present) differs(want *plannedDraw) bool {
	opens := time.Time{}
	if p.Opens != nil {
		opens = *p.Opens
	}
	return !p.At.Equal(want.at) || !p.Stop.Equal(want.stop) || p.Fixed != want.fixed || !opens.Equal(want.opens) || want.status != "" && want.status != p.Status
}

// DrawCounts counts the draws that a change created, changed and deleted, or would.
type DrawCounts struct {
	Created   int
	Updated   int
	Deleted   int
	Unchanged int
	Kept      int // that are over, or that a changed schedule left as they are because tickets were sold on them
}

// span is the part of a game's draws that a change is about.
type span struct {
	game     uuid.UUID
	from, to businessday.Day          // both included
	schedule bool                     // by a schedule: draws with tickets are left alone
	skip     map[businessday.Day]bool // days that are left alone
	stop     *time.Duration           // the game's stop, which all its draws without an explicit one get; nil: their stops stay
}

// moves are the changes from the existing draws of a span to the requested ones.
type moves struct {
	create []plannedDraw
	update []plannedDraw
	target []uuid.UUID // of each update
	remove []present
	spared map[uuid.UUID]bool // that a schedule wants otherwise, and that stay
	counts DrawCounts
}

// sync changes the draws of a span to the requested ones, with a fixed number of statements. The caller holds the
// game's lock; sync takes the locks of the draws it deletes or changes, so that no sale of them is committing.
// Errors: ErrInvalidDraws, ErrDrawHasTickets, ErrDrawOver, ErrDrawInUse.
func (s *Service) sync(ctx context.Context, tx pgx.Tx, sp span, wanted []plannedDraw) (DrawCounts, error) {
	now := s.clock.Now()
	have, err := presentDraws(
		ctx, tx, `game_id = $1 AND local_date BETWEEN $2 AND $3 ORDER BY draw_time, id`, sp.game, sp.from, sp.to,
	)
	if err != nil {
		return DrawCounts{}, err
	}
	have = slices.DeleteFunc(have, func(p present) bool { return sp.skip[p.Date] })
	stale, err := restopped(ctx, tx, &sp, now)
	if err != nil {
		return DrawCounts{}, err
	}
	m := compare(have, wanted, now)
	if len(m.touched()) > maxBulk {
		return DrawCounts{}, ErrInvalidDraws.WithDetails(
			wrong("draws", apperr.Messagef("more than %d draws would change; use a shorter range", maxBulk))...)
	}
	if locked := m.lockSet(stale); len(locked) > 0 {
		var again []present
		if again, now, err = s.lockForChange(ctx, tx, locked); err != nil { // a draw may have been closed or sold meanwhile
			return DrawCounts{}, err
		}
		stale = replace(stale, again)
		m = compare(replace(have, again), wanted, now)
		sold, err := soldDraws(ctx, tx, m.touched())
		if err != nil {
			return DrawCounts{}, err
		}
		if err := m.protect(again, sold, sp.schedule, now); err != nil {
			return DrawCounts{}, err
		}
	}
	if err := m.timely(sp.schedule, now); err != nil {
		return DrawCounts{}, err
	}
	if sp.stop != nil {
		m.restop(stale, *sp.stop, now)
	}
	return m.counts, s.apply(ctx, tx, sp.game, m, now)
}

func presentDraws(ctx context.Context, db queryer, where string, args ...any) ([]present, error) {
	return storage.Collect(ctx, db, "read draws", pgx.RowToStructByPos[present], selectPresent+where, args...)
}

// soldSQL selects the draws of $1 on which tickets were sold. The comparison with the next line of ticket_lines in
// the order of its index makes the planner read one index entry per draw whatever the statistics are: with an
// equality on a table of few draws it estimates a sequential scan as cheaper, which reads the whole table for a draw
// without tickets.
const soldSQL = `SELECT d.id FROM unnest($1::uuid[]) AS d (id)
	WHERE d.id = (SELECT i.draw_id FROM ticket_lines i WHERE i.draw_id >= d.id ORDER BY i.draw_id LIMIT 1)`

// soldDraws returns which of the draws have tickets.
func soldDraws(ctx context.Context, db queryer, draws []uuid.UUID) (map[uuid.UUID]bool, error) {
	ids, err := storage.Collect(ctx, db, "sold draws", pgx.RowTo[uuid.UUID], soldSQL, storage.UUIDs(draws))
	if err != nil {
		return nil, err
	}
	sold := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		sold[id] = true
	}
	return sold, nil
}

func replace(list, newer []present) []present {
	byID := make(map[uuid.UUID]present, len(newer))
	for _, p := range newer {
		byID[p.ID] = p
	}
	out := slices.Clone(list)
	for i := range out {
		if p, ok := byID[out[i].ID]; ok {
			out[i] = p
		}
	}
	return out
}

type drawKey struct {
	date   businessday.Day
	number string
}

// compare returns the changes. Draws that are over are never deleted, and the schedule never changes them.
func compare(have []present, wanted []plannedDraw, now time.Time) *moves {
	m := &moves{}
	byKey := make(map[drawKey]*plannedDraw, len(wanted))
	for i := range wanted {
		byKey[drawKey{wanted[i].date, wanted[i].number}] = &wanted[i]
	}
	for i := range have {
		p := &have[i]
		key := drawKey{p.Date, p.Number}
		want, named := byKey[key]
		delete(byKey, key)
		if named {
			want = p.fill(want)
		}
		switch {
		case p.over(now) && (!named || want.request < 0):
			m.counts.Kept++
		case named && p.differs(want):
			m.update, m.target = append(m.update, *want), append(m.target, p.ID)
		case named:
			m.counts.Unchanged++
		default:
			m.remove = append(m.remove, *p)
		}
	}
	for i := range wanted {
		if _, missing := byKey[drawKey{wanted[i].date, wanted[i].number}]; missing {
			m.create = append(m.create, wanted[i])
		}
	}
	m.counts.Created, m.counts.Updated, m.counts.Deleted = len(m.create), len(m.update), len(m.remove)
	return m
}

// touched are the draws that are moved or removed.
func (m *moves) touched() []uuid.UUID {
	ids := slices.Clone(m.target)
	for i := range m.remove {
		ids = append(ids, m.remove[i].ID)
	}
	return ids
}

// protect refuses changes of draws that are over or sold, or, where a schedule wants them, leaves them out.
// Errors: ErrDrawOver, ErrDrawHasTickets.
func (m *moves) protect(locked []present, hasTickets map[uuid.UUID]bool, schedule bool, now time.Time) error {
	var over, sold []apperr.Detail
	keep, touched := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, id := range m.touched() {
		touched[id] = true
	}
	for i := range locked {
		p := &locked[i]
		switch {
		case !touched[p.ID]:
		case p.over(now):
			over = append(over, apperr.Detail{Location: nameOf(p.Date, p.Number), Message: "its sales have stopped; it cannot be changed"})
			keep[p.ID] = true
		case hasTickets[p.ID]:
			sold = append(sold, apperr.Detail{Location: nameOf(p.Date, p.Number), Message: "tickets were sold on it; it can be neither moved nor deleted"})
			keep[p.ID] = true
		}
	}
	switch {
	case schedule:
		m.spare(keep)
		return nil
	case over != nil:
		return ErrDrawOver.WithDetails(over[:min(len(over), maxProblems)]...)
	case sold != nil:
		return ErrDrawHasTickets.WithDetails(sold[:min(len(sold), maxProblems)]...)
	default:
		return nil
	}
}

// spare takes draws out of the changes.
func (m *moves) spare(keep map[uuid.UUID]bool) {
	var update []plannedDraw
	var target []uuid.UUID
	for i, id := range m.target {
		if !keep[id] {
			update, target = append(update, m.update[i]), append(target, id)
		}
	}
	m.update, m.target = update, target
	m.remove = slices.DeleteFunc(m.remove, func(p present) bool { return keep[p.ID] })
	m.counts.Updated, m.counts.Deleted = len(m.update), len(m.remove)
	m.counts.Kept += len(keep)
	if m.spared == nil {
		m.spared = map[uuid.UUID]bool{}
	}
	maps.Copy(m.spared, keep)
}

// timely refuses draws whose sales would have stopped already, or, where a schedule wants them, leaves them out.
// Errors: ErrInvalidDraws.
func (m *moves) timely(schedule bool, now time.Time) error {
	late := func(p plannedDraw) bool { return !now.Before(p.stop) }
	if schedule {
		m.create = slices.DeleteFunc(m.create, late)
		m.counts.Created = len(m.create)
		keep := map[uuid.UUID]bool{}
		for i := range m.update {
			if late(m.update[i]) {
				keep[m.target[i]] = true
			}
		}
		m.spare(keep)
		return nil
	}
	var found []apperr.Detail
	for _, p := range slices.Concat(m.create, m.update) {
		if late(p) {
			found = append(found, apperr.Detail{Location: fmt.Sprintf("draws[%d]", p.request), Message: "its sales would have stopped already"})
		}
	}
	if found != nil {
		return ErrInvalidDraws.WithDetails(found[:min(len(found), maxProblems)]...)
	}
	return nil
}

// apply writes the changes: one statement each for deleted, changed and created draws and for their closing tasks.
// Errors: ErrDrawInUse.
func (s *Service) apply(ctx context.Context, tx pgx.Tx, game uuid.UUID, m *moves, now time.Time) error {
	if len(m.remove) > 0 {
		ids := make([]uuid.UUID, len(m.remove))
		for i := range m.remove {
			ids[i] = m.remove[i].ID
		}
		err := drawstate.DeleteTx(ctx, tx, ids)
		if storage.ViolatesForeignKey(err) {
			return ErrDrawInUse
		}
		if err != nil {
			return err
		}
	}
	if len(m.update) > 0 {
		if err := drawstate.MoveTx(ctx, tx, plansOf(m.update, m.target), now); err != nil {
			return err
		}
	}
	created, err := insertDraws(ctx, tx, game, m.create, now)
	if err != nil {
		return err
	}
	stops := make(map[uuid.UUID]time.Time, len(created)+len(m.update))
	for i := range created {
		stops[created[i]] = m.create[i].stop
	}
	for i, id := range m.target {
		stops[id] = m.update[i].stop
	}
	return closeAt(ctx, tx, stops)
}

// plansOf returns the stored plans of draws with the given ids.
func plansOf(list []plannedDraw, ids []uuid.UUID) []drawstate.Plan {
	plans := make([]drawstate.Plan, len(list))
	for i := range list {
		p := &list[i]
		plans[i] = drawstate.Plan{
			ID: ids[i], Number: p.number, Date: p.date, At: p.at, Stop: p.stop, Fixed: p.fixed, Opens: p.opens,
			Status: p.status,
		}
	}
	return plans
}

// insertDraws adds draws in one statement, and returns their ids in the same order.
func insertDraws(
	ctx context.Context, tx pgx.Tx, game uuid.UUID, list []plannedDraw, now time.Time,
) ([]uuid.UUID, error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(list))
	for i := range list {
		ids[i], list[i].status = uuid.Must(uuid.NewV7()), list[i].first()
	}
	return ids, drawstate.InsertTx(ctx, tx, game, plansOf(list, ids), now)
}

// closeAt asks for draws to be closed at the very instant their sales stop. A task's id is made of draw and instant,
// so that asking again does nothing; one whose draw was moved on finds nothing to do.
func closeAt(ctx context.Context, tx pgx.Tx, stops map[uuid.UUID]time.Time) error {
	rows := make([]outbox.Row, 0, len(stops))
	for draw, stop := range stops {
		id := uuid.NewSHA1(
			draw,
			[]byte(strings.Join([]string{tasks.DrawClose{}.Spec().Kind, stop.UTC().Format(time.RFC3339Nano)}, "@")),
		)
		row, err := outbox.NewRow(tasks.DrawClose{DrawID: draw}, outbox.At(stop), outbox.WithID(id))
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	_, err := outbox.EnqueueOnce(ctx, tx, rows...)
	return err
}
