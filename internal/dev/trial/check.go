package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	drainEvery    = time.Second
	verifyWithin  = 5 * time.Minute
	compareWithin = 5 * time.Minute
	maxOfOneCheck = 20 // differences that one check names
)

// pending are the questions whose answers are 0 once everything is done.
func pending() map[string]string {
	return map[string]string{
		"tasks in the outbox":                   `SELECT count(*) FROM outbox`,
		"tasks that are not finished":           `SELECT count(*) FROM outbox_sent WHERE coalesce(process_at, created_at) < now()`,
		"messages without an outcome":           `SELECT count(*) FROM message_logs WHERE status IN ('queued', 'sending')`,
		"files that are not written":            `SELECT count(*) FROM report_exports WHERE state IN ('pending', 'running')`,
		"tickets without a receipt":             `SELECT count(*) FROM tickets WHERE image_url IS NULL`,
		"decided draws that are not settled":    `SELECT count(*) FROM draws WHERE status = 'resulted'`,
		"tickets with decided draws, undecided": `SELECT count(*) FROM tickets t WHERE status = 'pending' AND NOT EXISTS (SELECT FROM ticket_lines i JOIN draws d ON d.id = i.draw_id WHERE i.ticket_id = t.id AND d.status <> 'settled')`,
	}
}

// check resolves what clients left open, waits until the platform has done its work, and returns every difference.
func (s *platform) check(ctx context.Context, l *load) (found []string) {
	left, misled := l.resolve(ctx)
	for _, o := range left {
		found = append(found, "no certain answer although all faults are over: "+o.String())
	}
	for _, o := range misled {
		found = append(found, "refused although it had been done: "+o.String())
	}
	begun := time.Now()
	found = append(found, s.drain(ctx)...)
	say(s.options.Out, "nothing is pending after %s", time.Since(begun).Round(time.Second))
	found = append(found, s.verify(ctx)...)
	err := s.database.within(ctx, compareWithin, func(ctx context.Context, c *pgx.Conn) error {
		for _, compare := range comparisons() {
			differences, err := compare(ctx, c, l)
			if err != nil {
				return err
			}
			if n := len(differences); n > maxOfOneCheck {
				differences = append(differences[:maxOfOneCheck], fmt.Sprintf("... and %d more", n-maxOfOneCheck))
			}
			found = append(found, differences...)
		}
		return nil
	})
	if err != nil {
		found = append(found, "the comparison failed: "+err.Error())
	}
	return found
}

// drain waits until nothing is pending.
func (s *platform) drain(ctx context.Context) (left []string) {
	for end := time.Now().Add(s.options.Drain); ; pause(ctx, drainEvery) {
		left = s.pendingNow(ctx)
		if len(left) == 0 || time.Now().After(end) || ctx.Err() != nil {
			return left
		}
	}
}

func (s *platform) pendingNow(ctx context.Context) (left []string) {
	err := s.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		for name, sql := range pending() {
			var n int
			if err := c.QueryRow(ctx, sql).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				left = append(left, fmt.Sprintf("still pending: %d %s", n, name))
			}
		}
		return nil
	})
	if err != nil {
		left = append(left, "still pending: "+err.Error())
	}
	slices.Sort(left)
	return left
}

// verify runs `banca verify` until it is clean: sums follow what they sum within seconds, and reservations of a killed process are
// released within a minute.
func (s *platform) verify(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	end := time.Now().Add(s.options.Drain / 2)
	for {
		cmd := exec.CommandContext(ctx, s.options.Program, "verify") //nolint:gosec // this program
		cmd.Env = append(append(os.Environ(), s.processes[0].env...), s.options.Environment...)
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return []string{"banca verify: " + errors.Join(err, ctx.Err()).Error() + "\n" + string(out)}
		}
		pause(ctx, drainEvery)
	}
}

// print writes what the load did.
func (l *load) print(out io.Writer) {
	kinds := []string{opSale, opCancel, opDeposit, opWithdraw, opRequest, opQuery, opNotify, opResult, opVerify, opCorrect, opPay, opOpen, opClose, opExport}
	_, _ = fmt.Fprintf(out, "%-18s %9s %9s %9s %9s %12s\n", "operation", "made", "done", "refused", "repeated", "unknown once")
	for _, kind := range kinds {
		var done, refused, repeated, unknown int
		all := l.client.journal.all(kind)
		for _, o := range all {
			switch {
			case o.good():
				done++
			case o.certain:
				refused++
			}
			if o.attempts > 1 {
				repeated++
			}
			if o.unanswered > 0 {
				unknown++
			}
		}
		_, _ = fmt.Fprintf(out, "%-18s %9d %9d %9d %9d %12d\n", kind, len(all), done, refused, repeated, unknown)
	}
}
