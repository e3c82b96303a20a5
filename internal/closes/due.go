package closes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/storage"
)

const (
	// grace is how long after midnight the task closes a day: sales that were quoted before midnight are committed by
	// then.
	grace = 5 * time.Minute

	// maxCloses bounds the closes of ticket points by one run of the task: some seconds to a minute. The next run, a
	// minute later, goes on.
	maxCloses = 3_000

	// recentDays bounds the search of the task for closes that no close above sums; an older one is summed with the
	// next.
	recentDays = 40
)

// due is a wallet with events that no close covers, or with an open day.
type due struct {
	entity, currency, wallet uuid.UUID

	day businessday.Day // to open or close next
}

// Due is the task day.close: it opens the day of each ticket point with events, and closes the days that are over, the
// oldest first, ticket points before the entities above. It returns the number of closes. A later run closes days with
// sales of unknown outcome and days beyond maxCloses, as after the upgrade that brought closes.
func (s *Service) Due(ctx context.Context) (closed int, err error) { return s.due(ctx, maxCloses) }

func (s *Service) due(ctx context.Context, most int) (closed int, err error) {
	found, err := s.dueWallets(ctx)
	if err != nil {
		return 0, err
	}
	var failed error // one wallet does not keep the others from being closed
	queue := make([]*due, 0, len(found))
	for i := range found {
		queue = append(queue, &found[i])
	}
	each := func(step func(d *due) (more bool, err error)) {
		queue = slices.DeleteFunc(queue, func(d *due) bool {
			more, err := step(d)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("close wallet %s: %w", d.wallet, err))
			}
			return err != nil || !more
		})
	}
	each(func(d *due) (bool, error) {
		d.day, err = s.nextDay(ctx, d)
		return true, err
	})
	for len(queue) > 0 && closed < most && ctx.Err() == nil {
		oldest := slices.MinFunc(queue, func(a, b *due) int { return a.day.Compare(b.day) }).day
		each(func(d *due) (bool, error) {
			if d.day != oldest || closed >= most {
				return true, nil
			}
			done, more, err := s.closeNext(ctx, d)
			if done {
				closed++
			}
			return more, err
		})
	}
	if ctx.Err() != nil {
		return closed, errors.Join(failed, ctx.Err())
	}
	n, err := s.closeAllAbove(ctx)
	return closed + n, errors.Join(failed, err)
}

// dueWallets lists the wallets with an open day or events before today, and those with events that no day is open for.
func (s *Service) dueWallets(ctx context.Context) ([]due, error) {
	today := s.today()
	from, _ := today.Bounds(s.Zone)
	return storage.Collect(ctx, s.PG.Pool, "wallets to close", func(row pgx.CollectableRow) (d due, err error) {
		err = row.Scan(&d.entity, &d.currency, &d.wallet)
		return d, err
	}, `SELECT w.entity_id, w.currency_id, w.id FROM wallets w JOIN entities e ON e.id = w.entity_id
		LEFT JOIN LATERAL (SELECT ends_at, least(ends_at, closed_at) AS at FROM daily_closes c WHERE c.wallet_id = w.id AND c.status = 'closed' ORDER BY c.day DESC LIMIT 1) l ON true
		WHERE w.kind = 'main' AND e.entity_type = 'TICKET_POINT' AND (
			EXISTS (SELECT 1 FROM daily_closes c WHERE c.entity_id = w.entity_id AND c.currency_id = w.currency_id AND c.status = 'open' AND c.day < $1)
			OR EXISTS (SELECT 1 FROM wallet_postings p WHERE p.wallet_id = w.id AND p.direct AND p.created_at >= coalesce(l.ends_at, '-infinity') AND p.created_at < $2)
			OR EXISTS (SELECT 1 FROM wallet_postings p WHERE p.wallet_id = w.id AND p.direct AND p.created_at >= coalesce(l.at, '-infinity'))
				AND NOT EXISTS (SELECT 1 FROM daily_closes c WHERE c.entity_id = w.entity_id AND c.currency_id = w.currency_id AND c.status = 'open' AND c.day = $1))`, today, from)
}

// closeNext opens the next day of a wallet and closes it if it is over. more says that the wallet has another day,
// which is its next one then.
func (s *Service) closeNext(ctx context.Context, d *due) (closed, more bool, err error) {
	f, err := s.byTask(ctx, d.entity, d.currency, d.day)
	if err != nil {
		return false, false, err
	}
	f.WalletID = d.wallet
	over := !s.Clock.Now().Before(s.endOf(d.day).Add(grace))
	if over {
		self := f.node.entity
		if err := s.awaitDecided(ctx, &self); errors.Is(err, ErrPending) {
			over = false
		} else if err != nil {
			return false, false, err
		}
	}
	closed, err = s.advance(ctx, f, over)
	if err != nil || !closed {
		return closed, false, err
	}
	if more, err = s.hasEvents(ctx, d); err != nil || !more {
		return closed, false, err
	}
	d.day, err = s.nextDay(ctx, d)
	return closed, true, err
}

// nextDay returns the day to open or close next: the earliest that is open or has events, or today for events of
// closed days.
func (s *Service) nextDay(ctx context.Context, d *due) (businessday.Day, error) {
	after, err := lastOf(ctx, s.PG.Pool, d.wallet, businessday.Day{})
	if err != nil {
		return businessday.Day{}, err
	}
	first, err := s.firstUncovered(ctx, s.PG.Pool, d.wallet, &after)
	if err != nil {
		return businessday.Day{}, err
	}
	var open *businessday.Day
	err = s.PG.Pool.QueryRow(ctx, `SELECT min(day) FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND status = 'open'`, d.entity, d.currency).Scan(&open)
	switch {
	case err != nil:
		return businessday.Day{}, fmt.Errorf("open days: %w", err)
	case open != nil && (first.IsZero() || open.Before(first)):
		return *open, nil
	case first.IsZero() && after.Day.Before(s.today()):
		return s.today(), nil
	case first.IsZero():
		return after.Day.AddDays(1), nil
	}
	return first, nil
}

// hasEvents reports whether the wallet has events or an open day after its newest close.
func (s *Service) hasEvents(ctx context.Context, d *due) (bool, error) {
	after, err := lastOf(ctx, s.PG.Pool, d.wallet, businessday.Day{})
	if err != nil {
		return false, err
	}
	first, err := s.firstUncovered(ctx, s.PG.Pool, d.wallet, &after)
	if err != nil || !first.IsZero() {
		return !first.IsZero(), err
	}
	var open bool
	err = s.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND status = 'open')`, d.entity, d.currency).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("open days: %w", err)
	}
	return open, nil
}

// taskClose is a close by the task.
type taskClose struct {
	finishing

	node opening
}

// byTask returns the close of a day by the task.
func (s *Service) byTask(ctx context.Context, entity, currency uuid.UUID, day businessday.Day) (*taskClose, error) {
	chain, err := s.Org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	c, err := s.Ledger.AnyCurrency(ctx, currency.String())
	if err != nil {
		return nil, err
	}
	f := &taskClose{node: opening{entity: chain.Self(), currency: c, day: day}}
	f.EntityID, f.Currency, f.Day = entity, c, day
	return f, nil
}

// advance opens the day, and closes it if it is over. A day that another process closed meanwhile is no error.
func (s *Service) advance(ctx context.Context, f *taskClose, over bool) (closed bool, err error) {
	f.node.wallet = f.WalletID
	if f.Day.After(s.today()) { // closed by hand before its end: its other events are in the close of tomorrow, which is not open yet
		return false, nil
	}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) (err error) {
		if f.ID, err = s.openTx(ctx, tx, &f.node); err != nil || !over {
			return err
		}
		return s.closeTx(ctx, tx, &f.finishing)
	})
	if errors.Is(err, ErrClosed) || errors.Is(err, ErrEarlierOpen) || errors.Is(err, ErrMissing) {
		return false, nil
	}
	return err == nil && over, err
}

// levels bounds the levels of entities above ticket points.
const levels = 4

// closeAllAbove closes the days that are over of the entities above ticket points, from the lowest level up.
func (s *Service) closeAllAbove(ctx context.Context) (closed int, err error) {
	for range levels {
		parents, err := s.dueAbove(ctx)
		if err != nil {
			return closed, err
		}
		progress := 0
		for _, p := range parents {
			f, err := s.byTask(ctx, p.entity, p.currency, p.day)
			if err != nil {
				return closed, err
			}
			done, err := s.advance(ctx, f, true)
			if err != nil {
				return closed, err
			}
			if done {
				progress++
			}
		}
		if closed += progress; progress == 0 {
			break
		}
	}
	return closed, nil
}

// dueParent is an entity with closes of its children to sum.
type dueParent struct {
	entity, currency uuid.UUID
	day              businessday.Day
}

// dueAbove lists the entities whose children have closes of days that are over, which no close sums. An entity that
// closed the day already sums them with its next one.
func (s *Service) dueAbove(ctx context.Context) ([]dueParent, error) {
	today := s.today()
	return storage.Collect(ctx, s.PG.Pool, "entities to close", func(row pgx.CollectableRow) (p dueParent, err error) {
		err = row.Scan(&p.entity, &p.currency, &p.day)
		return p, err
	}, `SELECT p.id, c.currency_id, c.day FROM daily_closes c JOIN entities e ON e.id = c.entity_id JOIN entities p ON p.id = e.parent_id
		WHERE c.status = 'closed' AND c.day >= $1 AND c.day < $2 AND NOT EXISTS (SELECT 1 FROM daily_close_parts x WHERE x.part_id = c.id)
			AND NOT EXISTS (SELECT 1 FROM daily_closes d WHERE d.entity_id = p.id AND d.currency_id = c.currency_id AND d.day >= c.day AND d.status = 'closed')
		GROUP BY p.id, c.currency_id, c.day ORDER BY c.day, length(p.path) DESC, p.id, c.currency_id`, today.AddDays(-recentDays), today)
}
