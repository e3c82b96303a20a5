package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"banca/internal/app"
	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/months"
	"banca/internal/rollup"
	"banca/internal/setup/seed/partitions"
	"banca/internal/setup/volume"
	"banca/storage"
)

// onlyMonths is the name of the measurement of the archive of months, for Options.Only. It takes half an hour and is no part of a run of everything.
const onlyMonths = "months"

const (
	monthsBack   = 2 // the month that is archived: it ended more than a month ago, so all its prizes are decided
	monthPoints  = 300
	monthClients = 8
	monthWindow  = 10 * time.Second // a measurement of sales
	atHalf       = 2                // divides the capacity
)

// months measures how a month leaves for the archive and returns, beside sales at half of the capacity, and then what
// undoes sales.
func (s *benchTestbed) months(ctx context.Context, o Options, out io.Writer) (err error) {
	month := businessday.Of(clock.System{}.Now(), time.UTC).FirstOfMonth().AddMonths(-monthsBack)
	_, _ = fmt.Fprintf(out, "\nThe archive of %s, %d lines of %d ticket points\n", month, o.Lines, monthPoints)
	if err := s.fillMonth(ctx, month, o.Lines, out); err != nil {
		return err
	}
	objects, err := s.store(ctx, true)
	if err != nil {
		return err
	}
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.stop()) }()
	sell, _, err := s.posWorkers(ctx, api)
	if err != nil {
		return err
	}
	full, err := drive(ctx, load{clients: monthClients, time: monthWindow}, sell)
	if err != nil {
		return err
	}
	beside := load{clients: monthClients, time: monthWindow, pace: full.rate() / atHalf}
	_, _ = fmt.Fprintf(out, "  %.0f sales/s, half of which are made from now on\n", full.rate())
	service := &months.Service{PG: s.pg, Objects: objects, Clock: clock.System{}, Keep: 1, Log: s.log}
	label := month.Format("200601")
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"nothing else", func() error { time.Sleep(2 * monthWindow); return nil }},
		{"archive", func() error { return archiveOne(ctx, service) }},
		{"return", func() error { _, err := service.Return(ctx, label); return err }},
	} {
		if err := besideSales(ctx, beside, sell, step.name, step.run, out); err != nil {
			return err
		}
	}
	if err := s.writeArchive(ctx, label, out); err != nil {
		return err
	}
	if err := s.undo(ctx, api, out); err != nil {
		return err
	}
	return s.proof(ctx, out)
}

func archiveOne(ctx context.Context, service *months.Service) error {
	n, err := service.Archive(ctx)
	if err == nil && n == 0 {
		err = errors.New("the month was not archived")
	}
	return err
}

// fillMonth writes, counts and folds the sales of a month.
func (s *benchTestbed) fillMonth(ctx context.Context, month businessday.Day, lines int, out io.Writer) error {
	if err := partitions.Divide(ctx, s.pg, monthsBack); err != nil {
		return err
	}
	w, err := volume.Open(ctx, s.pg, volume.Options{Root: rootID(), Now: clock.System{}.Now(), Zone: s.cfg.Business.Zone, Points: monthPoints})
	if err != nil {
		return err
	}
	days := month.DaysUntil(month.AddMonths(1)) - 1 // the last evening of the zone is the next month of UTC
	filling, err := took(func() error {
		for n := range days {
			if err := w.WriteDay(ctx, month.AddDays(n), lines/days); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	books, totals := ledger.New(s.pg, ledger.Options{Zone: s.cfg.Business.Zone}), rollup.New(s.pg, s.cfg.Business.Zone)
	counting, err := took(func() error { return errors.Join(books.CountDays(ctx), totals.Advance(ctx)) })
	if err != nil {
		return err
	}
	for folded := 1; folded > 0; {
		if folded, err = books.Fold(ctx); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(out, "  written in %.0f s, counted in %.0f s\n", filling.Seconds(), counting.Seconds())
	if err := s.closeDays(ctx, books); err != nil {
		return err
	}
	return errors.Join(books.CountDays(ctx), w.Finish(ctx))
}

// closeDays closes the days of all ticket points.
func (s *benchTestbed) closeDays(ctx context.Context, books *ledger.Service) error {
	service := closes.New(closes.Deps{PG: s.pg, Org: org.New(s.pg.Gorm, org.Options{}), Ledger: books, Sales: noSales{},
		Clock: clock.System{}, Zone: s.cfg.Business.Zone})
	for closed := 1; closed > 0; {
		var err error
		if closed, err = service.Due(ctx); err != nil {
			return err
		}
	}
	return nil
}

// noSales are the sales of unknown outcome while none are made.
type noSales struct{}

// Undecided implements closes.Sales.
func (noSales) Undecided(context.Context, *org.Node) (int, error) { return 0, nil }

// store opens the private bucket, in which the archive is, or the public one, in which receipts are.
func (s *benchTestbed) store(ctx context.Context, private bool) (*storage.Objects, error) {
	return storage.OpenObjects(ctx, app.BucketOptions(s.cfg, private, "", nil))
}

// besideSales runs a step while sales are made at a pace, and writes how long it took and how sales were answered.
func besideSales(ctx context.Context, l load, sell worker, name string, step func() error, out io.Writer) error {
	done := make(chan error, 1)
	start := time.Now()
	var length time.Duration
	go func() {
		err := step()
		length = time.Since(start)
		done <- err
	}()
	total := &result{}
	for {
		r, err := drive(ctx, l, sell)
		if err != nil {
			return errors.Join(err, <-done)
		}
		total.done, total.refused, total.elapsed = total.done+r.done, total.refused+r.refused, total.elapsed+r.elapsed
		total.latencies = append(total.latencies, r.latencies...)
		select {
		case err := <-done:
			_, _ = fmt.Fprintf(out, "  %-12s %6.1f s; sales: %.0f/s, refused %d, p50 %s, p99 %s, slowest %s ms\n", name, length.Seconds(),
				total.rate(), total.refused, millis(total.quantile(.5)), millis(total.quantile(.99)), millis(total.quantile(1)))
			return err
		default:
		}
	}
}

// writeArchive writes how large the month is in the tables and in the store.
func (s *benchTestbed) writeArchive(ctx context.Context, label string, out io.Writer) error {
	var tables, rows, stored int64
	err := s.pg.Pool.QueryRow(ctx, `SELECT rows, bytes, (SELECT sum(pg_total_relation_size(to_regclass(name || '_' || label)))::bigint FROM monthly_tables())
		FROM month_archives WHERE label = $1`, label).Scan(&rows, &stored, &tables)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "  %d rows, %d MiB in the tables with indexes, %d MiB in the store\n", rows, tables>>20, stored>>20)
	return err
}
