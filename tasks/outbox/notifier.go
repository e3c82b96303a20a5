package outbox

import (
	"context"
	"log/slog"
	"time"

	"banca/internal/platform/clock"
)

// channel is the Postgres notification channel that wakes relays.
const channel = "outbox"

const (
	notifyGap     = 5 * time.Millisecond // at most 200 notifications a second and process
	notifyTimeout = 2 * time.Second
)

// Notifier wakes relays after rows were committed. A NOTIFY inside a writing transaction would serialise the commits
// of all such transactions, so it is sent separately, after the commit, and once for all commits of the last few
// milliseconds. A lost notification costs one poll interval.
type Notifier struct {
	db    Execer
	log   *slog.Logger
	dirty chan struct{} // holds at most one mark: something was committed since the last notification
}

// NewNotifier returns a notifier that sends through db. It does nothing until Run is called.
func NewNotifier(db Execer, log *slog.Logger) *Notifier {
	return &Notifier{db: db, log: log, dirty: make(chan struct{}, 1)}
}

// Wake asks for a notification. It never blocks and may be called from anywhere, after a commit.
func (n *Notifier) Wake() {
	select {
	case n.dirty <- struct{}{}:
	default: // one is due already, and will be sent after this commit
	}
}

// Run sends notifications until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.dirty:
		}
		err := n.notify(ctx)
		if (err != nil) != failing && ctx.Err() == nil {
			failing = err != nil
			n.log.WarnContext(
				ctx, "outbox: notifier changed state", slog.Bool("failing", failing), slog.Any("error", err),
			)
		}
		if clock.Sleep(ctx, notifyGap) != nil {
			return
		}
	}
}

func (n *Notifier) notify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	_, err := n.db.Exec(ctx, "SELECT pg_notify($1, '')", channel)
	return err
}
