package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"banca/internal/app"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/rollup"
	"banca/internal/setup/volume"
)

// onlyCounting is the name of the measurement of sales beside the count of the totals, for Options.Only.
const onlyCounting = "counting"

// What sales and the count of the totals are measured with.
const (
	countingClients = 32
	countingRounds  = 5
	countingTime    = 11 * time.Second // of sales, with and without the count
	countEvery      = 5 * time.Second  // as the scheduler does
	slowedAtMost    = 0.05             // share of the sales in a second
)

// countingRun measures sales with and without the count of the totals beside them.
type countingRun struct {
	worker worker
	totals *rollup.Service
	writer *volume.Writer
	next   businessday.Day // that has no history yet
}

// onlyCount measures sales beside the count in a database without a history.
func (s *benchTestbed) onlyCount(ctx context.Context, out io.Writer) error {
	now := clock.System{}.Now()
	writer, err := volume.Open(ctx, s.pg, volume.Options{Root: rootID(), Now: now, Zone: s.cfg.Business.Zone, Points: historyPoints})
	if err != nil {
		return err
	}
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	err = s.counting(ctx, api, writer, businessday.Of(now, s.cfg.Business.Zone).AddDays(-1), out)
	return errors.Join(err, api.stop())
}

// counting compares three times: the count of the same sales, as the scheduler orders it, at full load and at half of
// it, and the count of a whole day at half load. The days are written from next backwards.
func (s *benchTestbed) counting(ctx context.Context, api *child, writer *volume.Writer, next businessday.Day, out io.Writer) error {
	worker, _, err := s.posWorkers(ctx, api)
	if err != nil {
		return err
	}
	if err := warm(ctx, worker); err != nil {
		return err
	}
	c := &countingRun{worker: worker, totals: rollup.New(s.pg, s.cfg.Business.Zone), writer: writer, next: next}
	_, _ = fmt.Fprintf(out, "\nSales beside the count of the totals, %d clients, %d rounds of %s\n\n", countingClients, countingRounds, countingTime)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(w, "| sales and count\t| sales/s alone\t| beside\t| slower by\t| p50 ms alone\t| beside\t| p95 ms alone\t| beside\t| longest count ms\t|")
	_, _ = fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	full, err := c.compare(ctx, w, "of these sales, full load", 0, c.keepUp)
	if err != nil {
		return err
	}
	if _, err := c.compare(ctx, w, "of these sales, half load", full/2, c.keepUp); err != nil {
		return err
	}
	if _, err := c.compare(ctx, w, fmt.Sprintf("of a day of %d lines, half load", countedLines), full/2, c.countDay); err != nil {
		return err
	}
	return w.Flush()
}

// compare sells alone and beside the count in turns, writes the medians of the rounds and returns the rate alone.
func (c *countingRun) compare(ctx context.Context, out io.Writer, name string, pace float64, count func(ctx context.Context, pace float64) (*result, time.Duration, error)) (float64, error) {
	var alone, beside cell
	var slower []float64
	var longest time.Duration
	for range countingRounds {
		if err := c.totals.Advance(ctx); err != nil {
			return 0, err
		}
		before, err := c.sell(ctx, pace)
		if err != nil {
			return 0, err
		}
		after, counted, err := count(ctx, pace)
		if err != nil {
			return 0, err
		}
		alone.record(before)
		beside.record(after)
		slower, longest = append(slower, 1-after.rate()/before.rate()), max(longest, counted)
	}
	lost := median(slower)
	_, err := fmt.Fprintf(out, "| %s\t| %.0f\t| %.0f\t| %.1f %% %s\t| %s\t| %s\t| %s\t| %s\t| %s\t|\n", name, median(alone.rates), median(beside.rates),
		100*lost, verdict(lost <= slowedAtMost), millis(median(alone.p50)), millis(median(beside.p50)), millis(median(alone.p95)), millis(median(beside.p95)), millis(longest))
	return median(alone.rates), err
}

func (c *countingRun) sell(ctx context.Context, pace float64) (*result, error) {
	return drive(ctx, load{clients: countingClients, time: countingTime, pace: pace}, c.worker)
}

// keepUp sells while the sales are counted at the scheduler's interval.
func (c *countingRun) keepUp(ctx context.Context, pace float64) (*result, time.Duration, error) {
	return c.beside(ctx, pace, func(ctx context.Context) (longest time.Duration, err error) {
		for ctx.Err() == nil {
			counted, err := took(func() error { return c.totals.Advance(context.WithoutCancel(ctx)) })
			if err != nil {
				return 0, err
			}
			longest = max(longest, counted)
			select {
			case <-ctx.Done():
			case <-time.After(countEvery):
			}
		}
		return longest, nil
	})
}

// countDay sells while a day is counted that was written before.
func (c *countingRun) countDay(ctx context.Context, pace float64) (*result, time.Duration, error) {
	if err := c.writer.WriteDay(ctx, c.next, countedLines); err != nil {
		return nil, 0, err
	}
	c.next = c.next.AddDays(-1)
	return c.beside(ctx, pace, func(ctx context.Context) (time.Duration, error) {
		return took(func() error { return c.totals.Advance(context.WithoutCancel(ctx)) })
	})
}

// beside sells while count runs, whose context ends with the sales.
func (c *countingRun) beside(ctx context.Context, pace float64, count func(context.Context) (time.Duration, error)) (*result, time.Duration, error) {
	type counted struct {
		longest time.Duration
		err     error
	}
	counting, stop := context.WithCancel(ctx)
	done := make(chan counted, 1)
	go func() {
		longest, err := count(counting)
		done <- counted{longest, err}
	}()
	sold, err := c.sell(ctx, pace)
	stop()
	end := <-done
	return sold, end.longest, errors.Join(err, end.err)
}
