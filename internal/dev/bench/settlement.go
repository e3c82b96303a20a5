package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/dev/procstat"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/internal/setup/seed"
)

// Required figures of a settlement, on two cores.
const (
	settledTickets = 100_000
	linesATicket   = 5
	settledDraws   = 3 // of that size each; the tables hold them all
	settleWithin   = 10 * time.Second
	memoryEvery    = 20 * time.Millisecond
)

// onlySettlement is the name of the measurement of settlements, for Options.Only.
const onlySettlement = "settlement"

// settlement measures closing, settling and correcting a draw of a hundred thousand tickets.
func (s *benchTestbed) settlement(ctx context.Context, out io.Writer) error {
	game := seed.ID("game", "lotto-activo")
	cat := catalog.New(s.pg, clock.System{}, catalog.Options{Zone: time.UTC})
	service := draws.New(draws.Deps{
		PG: s.pg, Catalog: cat, Cache: noCache{}, Clock: clock.System{}, Log: s.log, Events: realtime.Discard{},
	})
	_, _ = fmt.Fprintf(out, "\nSettlement of a draw with %d tickets of %d lines, %d such draws in the tables\n", settledTickets, linesATicket, settledDraws)
	var ids []uuid.UUID
	for n := range settledDraws {
		id, err := s.fillDraw(ctx, game, n)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if _, err := s.pg.Pool.Exec(ctx, `ANALYZE tickets, ticket_items, draws`); err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.settleOne(ctx, service, id, out); err != nil {
			return err
		}
	}
	return nil
}

// noCache replaces the risk counts, which are not measured here.
type noCache struct{}

// CloseDraws implements draws.Cache.
func (noCache) CloseDraws(context.Context, ...uuid.UUID) error { return nil }

func (s *benchTestbed) settleOne(ctx context.Context, service *draws.Service, id uuid.UUID, out io.Writer) error {
	closing, err := took(func() error { return service.Close(ctx, id) })
	if err != nil {
		return err
	}
	entered, err := service.Enter(ctx, caller.Caller{UserID: uuid.New()}, id, catalog.Outcome{Value: "5"})
	if err != nil {
		return err
	}
	if _, _, err := service.Verify(ctx, caller.Caller{UserID: uuid.New()}, entered.ID, nil); err != nil {
		return err
	}
	peak, stop := watchMemory()
	var done *draws.Settlement
	settling, err := took(func() (err error) { done, err = service.Settle(ctx, id); return err })
	stop()
	if err != nil {
		return err
	}
	previewing, err := took(func() error {
		_, _, err := service.Correct(ctx, caller.Caller{UserID: uuid.New()}, entered.ID, catalog.Outcome{Value: "6"}, "bench", true)
		return err
	})
	if err != nil {
		return err
	}
	corrected, _, err := service.Correct(ctx, caller.Caller{UserID: uuid.New()}, entered.ID, catalog.Outcome{Value: "6"}, "bench", false)
	if err != nil {
		return err
	}
	correcting, err := took(func() error {
		_, _, err := service.Verify(ctx, caller.Caller{UserID: uuid.New()}, corrected.ID, nil)
		return err
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "  close and seal %.2f s; settle %.2f s (%s, at most %s), %d won, %d lost, %d waiting; "+
		"correction shown %.2f s, done %.2f s; memory of the backend %d MiB, of this process %d MiB\n",
		closing.Seconds(), settling.Seconds(), verdict(settling <= settleWithin), settleWithin, done.Won, done.Lost, done.Waiting,
		previewing.Seconds(), correcting.Seconds(), peak[0].Load(), peak[1].Load())
	return nil
}

func took(fn func() error) (time.Duration, error) {
	began := clock.System{}.Now()
	err := fn()
	return clock.System{}.Now().Sub(began), err
}

// fillDraw creates a draw whose sales are over and inserts its tickets directly: the cost of a sale is measured
// elsewhere. Its ids begin with the time of the sale, as the ids of sold tickets do. With random ids, which the table does
// not hold in their order, one UPDATE of the tickets takes twice the CPU.
func (s *benchTestbed) fillDraw(ctx context.Context, game uuid.UUID, n int) (uuid.UUID, error) {
	id := uuid.Must(uuid.NewV7())
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		VALUES ($1, $2, $3, current_date - 1, now() - interval '1 hour', now() - interval '2 hours', 'open')`, id, game, "BENCH-"+strconv.Itoa(n))
	b.Queue(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		SELECT overlay(gen_random_uuid()::text PLACING left(first_id_at(now() AT TIME ZONE 'UTC' - interval '3 hours' + g * interval '1 ms')::text, 13) FROM 1)::uuid,
			$2 || '-' || g, '123456', w.entity_id, gen_random_uuid(), w.id, w.currency_id, 'pending', $3 * 1000, $3 * 30000,
			now() - interval '3 hours', now() + interval '3 days', now() - interval '3 hours'
		FROM generate_series(1, $1::integer) g CROSS JOIN (SELECT * FROM wallets WHERE kind = 'main' ORDER BY id LIMIT 1) w`,
		settledTickets, "B"+strconv.Itoa(n), linesATicket)
	b.Queue(`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
		SELECT t.id, l, $1, $2, 'straight', ((hashtext(t.serial_code) & 65535) + l * 7) % 36 + 1, 1000, 3000, 30000, g.rule_version, '{1800,1500,1300,1000}'
		FROM tickets t CROSS JOIN generate_series(0, $3::integer - 1) l JOIN games g ON g.id = $2 WHERE t.serial_code LIKE $4`,
		id, game, linesATicket, "B"+strconv.Itoa(n)+"-%")
	tx, err := s.pg.Pool.Begin(ctx)
	if err != nil {
		return id, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0`); err != nil {
		return id, err
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return id, fmt.Errorf("fill draw: %w", err)
	}
	return id, tx.Commit(ctx)
}

// watchMemory keeps the most anonymous memory that a Postgres backend, and that this process, hold, in MiB, until
// stop is called.
func watchMemory() (peak *[2]atomic.Int64, stop func()) {
	peak = new([2]atomic.Int64)
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(memoryEvery); ; {
			for pid, p := range procstat.Read() {
				of := -1
				if pid == os.Getpid() {
					of = 1
				} else if strings.HasPrefix(p.Name, "postgres") {
					of = 0
				}
				if of >= 0 {
					peak[of].Store(max(peak[of].Load(), anonymousMiB(pid)))
				}
			}
			select {
			case <-ended:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	return peak, func() { close(ended); <-done }
}

// anonymousMiB returns the memory of a process without files and shared memory; zero after its end.
func anonymousMiB(pid int) int64 {
	mib, _ := procstat.MiB(pid, "RssAnon")
	return int64(mib)
}
